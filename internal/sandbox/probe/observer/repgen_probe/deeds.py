"""What a harmless script has no reason to do, by the audit hook (3.8+).

The hook runs for thousands of events at every import: one dictionary look-up
decides, and nothing else happens for almost all of them.
"""
import os
import sys

import repgen_probe as probe

CAP = 50  # of each kind

# Parts of paths that hold secrets. "/." makes most other paths fail fast.
SECRETS = ("/.ssh", "/.aws", "/.netrc", "/.git-credentials", "/.pypirc", "/.docker", "/.kube", "/.gnupg",
           "/.config/gcloud", "/.azure", "/.npmrc", "/.bash_history", "/.huggingface/token",
           "/.cache/huggingface/token", "/.config/gh/", "/.kaggle")
KEYS = ("id_rsa", "id_ed25519", "id_ecdsa", "id_dsa")
SYSTEM = ("/etc/shadow", "/etc/gshadow", "/etc/sudoers")
LOOPBACK = ("127.", "::1", "localhost", "0.0.0.0")

_counts = {}
_stdlib = os.path.dirname(os.__file__)


def _by_script():
    """True when the first caller outside the standard library is __main__."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        file = frame.f_code.co_filename
        library = file.startswith(_stdlib) and "-packages" not in file
        if not (library or file.startswith("<frozen") or name.startswith("repgen_probe")):
            return name == "__main__"
        frame = frame.f_back
    return False


def _record(kind, detail):
    n = _counts.get(kind, 0)
    if n >= CAP or probe.is_hushed():
        return
    # Libraries' own deeds at import must not use up the script's places.
    script = _by_script()
    if not script and n >= CAP // 2:
        return
    _counts[kind] = n + 1
    probe.send("deed", {"kind": kind, "detail": detail[:500], "script": script})


def _text(v):
    try:
        if isinstance(v, (list, tuple)):
            return " ".join(_text(x) for x in v)
        return os.fsdecode(v)
    except Exception:
        return repr(v)


def _secret(path):
    if not isinstance(path, str):
        path = os.fsdecode(path)
    if "/." in path or path[:1] == ".":
        rooted = "/" + path
        for part in SECRETS:
            if part in rooted:
                return path
    if path[:5] == "/etc/" and path.startswith(SYSTEM):
        return path
    if path[:6] == "/proc/" and path.endswith("/environ"):
        return path
    if "id_" in path:
        for part in KEYS:
            if part in path:
                return path
    return None


def _open(args):
    path = args[0]
    if type(path) is int:
        return
    if _secret(path) is not None:
        _record("open-secret", _text(path))


def _list(args):
    if args and args[0] is not None and _secret(args[0]) is not None:
        _record("listdir-secret", _text(args[0]))


def _connect(args):
    address = args[1]
    if isinstance(address, tuple) and len(address) >= 2 and not _text(address[0]).startswith(LOOPBACK):
        _record("connect", "%s:%s" % (_text(address[0]), address[1]))


def _resolve(args):
    host = args[0]
    if host and not _text(host).startswith(LOOPBACK):
        _record("connect", "%s:%s" % (_text(host), args[1] if len(args) > 1 else ""))


def _popen(args):
    _record("subprocess", _text(args[1]) or _text(args[0]))


def _system(args):
    _record("subprocess", _text(args[0]))


def _exec(args):
    _record("subprocess", _text(args[1]) or _text(args[0]))


def _uncaught(args):
    import threading

    if threading.current_thread() is threading.main_thread():
        probe.on_uncaught(args[2], args[3])


_TABLE = {
    "open": _open,
    "os.listdir": _list,
    "os.scandir": _list,
    "socket.connect": _connect,
    "socket.sendto": _connect,
    "socket.getaddrinfo": _resolve,
    "socket.gethostbyname": _resolve,
    "subprocess.Popen": _popen,
    "os.system": _system,
    "os.exec": _exec,
    "os.posix_spawn": _exec,
    "sys.excepthook": _uncaught,
}


def watch():
    table = _TABLE.get

    def hook(event, args):
        act = table(event)
        if act is not None:
            try:
                act(args)
            except Exception:
                pass

    sys.addaudithook(hook)
