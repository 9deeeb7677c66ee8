"""What a harmless script has no reason to do, by the audit hook (3.8+).

The hook runs for thousands of events at every import: one dictionary look-up
decides, and nothing else happens for almost all of them.

Two kinds: deeds, which are told, and steps towards the observer, after which
nothing that it says counts (intrusion). The second kind is a frame of ours, or
what one of our hidden objects holds, in the hands of the script.
"""
import os
import sys
import threading
from _thread import get_ident
from builtins import *  # noqa: F403
from sys import _current_frames, _getframe

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


_dicts = {}  # our modules' names, by id: what code of ours has as its globals
_looking = set()  # threads in which we look at frames ourselves
_intruded = []


def mine(names):
    _dicts[id(names)] = names


def look(ident, on):
    """Says that we look at frames ourselves in a thread, or no longer do."""
    if on:
        _looking.add(ident)
    else:
        _looking.discard(ident)


def ours(frame):
    return id(frame.f_globals) in _dicts


def _chain(frame):
    """True when frame is ours or was called, however far off, by us."""
    while frame is not None:
        if ours(frame):
            return True
        frame = frame.f_back
    return False


def _asks():
    """The frame that gets what an event gives, when it is the script's own; None
    for a library's. What inspect and traceback only pass on is asked by who asks
    them."""
    frame = _getframe(4)  # below this, the action, act and the hook
    while frame is not None:
        code = frame.f_code
        file = code.co_filename
        if not (file.endswith("/inspect.py") or code.co_name in ("walk_tb", "walk_stack") and file.endswith("/traceback.py")):
            break
        frame = frame.f_back
    if frame is None or ours(frame):
        return None
    library = file.startswith(_stdlib) or "-packages/" in file or file.startswith("<frozen")
    return None if library and frame.f_globals.get("__name__") != "__main__" else frame


def _looks(action):
    """The action with its own looks at frames left out: they are events too."""

    def act(args):
        ident = get_ident()
        if ident in _looking:
            return
        _looking.add(ident)
        try:
            if not _intruded and action(args):
                _intruded.append(True)
                probe.send("intrusion", {}, always=True)
        finally:
            _looking.discard(ident)

    return act


def _own_frame(args):
    asks = _asks()
    return asks is not None and _chain(asks)


def _all_frames(args):
    return _asks() is not None and any(_chain(f) for f in _current_frames().values())


def _held_frame(args):
    if args[1] not in ("tb_frame", "gi_frame", "cr_frame", "ag_frame"):
        return False
    asks = _asks()
    return asks is not None and (_chain(getattr(args[0], args[1])) or _chain(asks))


def _traced(args):
    return _asks() is not None


def _held_by(args):
    return any(id(x) in probe.hidden for x in args[0])


def thawed(unfreeze):
    def call():
        _looks(lambda args: True)(())
        unfreeze()

    return call


def _by_script():
    """True when the first caller outside the standard library is __main__."""
    frame = _getframe(2)
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
    if path[-3:] == "mem" and os.path.realpath(path).startswith("/proc/"):
        _memory(args)
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
    # The interpreter calls it below no code at all; sys.audit can be called by
    # anybody.
    if _getframe(1).f_back is None and threading.current_thread() is threading.main_thread():
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
    "sys._getframe": _looks(_own_frame),
    "sys._current_frames": _looks(_all_frames),
    "sys._current_exceptions": _looks(_all_frames),
    "object.__getattr__": _looks(_held_frame),
    "sys.settrace": _looks(_traced),
    "sys.setprofile": _looks(_traced),
    "sys.monitoring.register_callback": _looks(_traced),
    "gc.get_referents": _looks(_held_by),
}
_memory = _looks(lambda args: True)


def hook(event, args):
    act = _table(event)
    if act is not None:
        try:
            act(args)
        except Exception:
            pass


_table = _TABLE.get
