# Builds one source package inside the sandbox, without network. Standard
# library only, Python 3.6 and later. Reads /box/plan.json, unpacks the source
# below /tmp and calls the build backend's hooks (PEP 517). What the backend
# wants beyond what is installed is written to /box/wanted.json, and the exit
# code is 3: the caller installs it and comes again.
import importlib
import json
import os
import sys
import tarfile
import tempfile
import zipfile

with open("/box/plan.json", encoding="utf-8") as f:
    plan = json.load(f)

top = tempfile.mkdtemp(prefix="source-")
archive = os.path.join("/box", plan["archive"])
if archive.endswith(".zip"):
    with zipfile.ZipFile(archive) as z:
        z.extractall(top)
else:
    with tarfile.open(archive) as t:
        if hasattr(tarfile, "data_filter"):
            t.extractall(top, filter="data")
        else:
            t.extractall(top)
entries = os.listdir(top)
if len(entries) == 1 and os.path.isdir(os.path.join(top, entries[0])):
    top = os.path.join(top, entries[0])
os.chdir(top)
os.makedirs("/box/out", exist_ok=True)


def load():
    name = plan["backend"] or "setuptools.build_meta:__legacy__"
    sys.path[:0] = [os.path.join(top, p) for p in plan["backend_path"]]
    if not plan["backend"]:
        # A project without pyproject.toml may import itself in setup.py, as it
        # could when setup.py was run as a script. __legacy__ allows that, but a
        # setuptools of the project's own day may be older than __legacy__.
        sys.path.insert(0, top)
    module, _, attribute = name.partition(":")
    backend = importlib.import_module(module)
    for part in filter(None, attribute.split(".")):
        if not plan["backend"] and not hasattr(backend, part):
            break  # setuptools before 40.8 has no __legacy__
        backend = getattr(backend, part)
    return backend


def wanted(backend):
    hook = getattr(backend, "get_requires_for_build_wheel", None)
    return list(hook()) if hook else []


def missing(requirements):
    have = set(plan["have"])
    out = []
    for r in requirements:
        name = ""
        for c in r.strip():
            if not (c.isalnum() or c in "-_."):
                break
            name += c
        plain = name.lower().replace("_", "-").replace(".", "-")
        if plain and plain not in have:
            out.append(r)
    return out


def as_program():
    import subprocess

    return subprocess.call([sys.executable, "setup.py", "bdist_wheel", "-d", "/box/out"])


def build():
    try:
        backend = load()
    except ImportError:
        if plan["backend"]:
            raise
        return as_program()  # setuptools before 38
    try:
        more = missing(wanted(backend))
        if more:
            with open("/box/wanted.json", "w", encoding="utf-8") as f:
                json.dump(more, f)
            return 3
        backend.build_wheel("/box/out")
    except AttributeError as e:
        # Many an old setup.py says __builtins__.__NUMPY_SETUP__ = False. That
        # name is a module in a program only, and a dictionary in what a backend
        # runs; installers of its day started setup.py as a program.
        if plan["backend"] or "'dict' object has no attribute" not in str(e):
            raise
        return as_program()
    return 0


sys.exit(build())
