"""The observer: records what the script did, changes nothing of it.

The script shares the process and must not speak for us. So nothing that it can
reach leads here: what we put in the place of Python's own functions are C
objects that do not show what they call (hide), our modules are in no table, and
the one way left, a frame or an object of ours, is watched (watch.py). All of us
is loaded at the start: a module that came later could be found as garbage is.
What would see the key or a frame is taken from Python before the script can put
something else in its place: builtins are names of our own here.
"""
import atexit
import faulthandler
import os
import sys
import threading
import warnings
from _functools import _lru_cache_wrapper
from _json import encode_basestring_ascii as _quote
from _thread import get_ident
from builtins import *  # noqa: F403
from os import fstat as _fstat, getpid as _getpid, write as _write
from sys import _getframe

# Bytes written before the observer falls silent but for the end record. The
# reader keeps 4 MiB; half of it leaves room for what children write.
LIMIT = 2 << 20

_fd = -1
_identity = None
_key = ""
_pid = 0
_lock = threading.RLock()  # a signal handler or __del__ may write while we do
_sent = 0

options = []
_busy = set()  # threads in which we compute: warnings there are not the script's
hidden = {}  # what stands for functions of ours, by id
system_exit = None
_seen_exception = None
_snapshot_done = False
_audit = None  # the module, where it was asked for


def encode(v):
    """JSON of plain values; importing json would cost more than all the rest."""
    if v is None:
        return "null"
    if v is True:
        return "true"
    if v is False:
        return "false"
    if isinstance(v, str):
        return _quote(str(v))
    if isinstance(v, int):
        return int.__repr__(v)
    if isinstance(v, dict):
        return "{" + ",".join(_quote(k) + ":" + encode(x) for k, x in v.items()) + "}"
    if isinstance(v, (list, tuple)):
        return "[" + ",".join([encode(x) for x in v]) + "]"
    return _quote(str(v))


def send(kind, body, always=False, text=False):
    """Writes one line; a closed or replaced descriptor silences the observer."""
    global _sent, _fd
    if _fd < 0:
        return
    line = '{"k":%s,"p":%d,"t":"%s","v":%s}\n' % (_quote(_key), _getpid(), kind, body if text else encode(body))
    data = line.encode("ascii")
    with _lock:
        if _sent + len(data) > LIMIT and not always and not text:
            return
        try:
            # The script may have closed our descriptor and got its number for
            # a file of its own: never write into that.
            now = _fstat(_fd)
            if (now.st_dev, now.st_ino) != _identity:
                _fd = -1
                return
            _sent += 0 if text else len(data)  # who sends text has a limit of its own
            while data:
                data = data[_write(_fd, data):]
        except OSError:
            _fd = -1


def hide(f):
    """f as a callable that has no way to f: this cache of size 0 keeps nothing,
    hashes nothing and, unlike a closure or a partial, shows nothing."""
    c = _lru_cache_wrapper(f, 0, False, None)
    hidden[id(c)] = c
    return c


def quietly(f, *args):
    """Calls f with what happens in this thread marked as the observer's own; eats
    errors. No class: object.__subclasses__ would show it."""
    ident = get_ident()
    added = None if ident in _busy else ident
    _busy.add(ident)
    try:
        f(*args)
    except Exception:
        pass
    finally:
        _busy.discard(added)


def is_hushed():
    return get_ident() in _busy


def is_open():
    return _fd >= 0


def is_main():
    return _getpid() == _pid


def qualified(cls):
    """module.Class, builtins bare: as a traceback writes it, __main__ kept."""
    module = getattr(cls, "__module__", None)
    name = getattr(cls, "__qualname__", None) or getattr(cls, "__name__", "?")
    if module in (None, "builtins"):
        return str(name)
    return "%s.%s" % (module, name)


def _high(fd):
    """Duplicates fd far above what scripts close by habit, not inheritable."""
    for number in (700, 701, 702, 200, 201, 60, 61):
        try:
            os.fstat(number)
        except OSError:
            try:
                os.dup2(fd, number, False)
                return number
            except OSError:
                continue  # above the limit of open files
    return os.dup(fd)


def _forked():
    """In a forked child: its faulthandler must not speak for the parent."""
    global _fd, _lock
    _lock = threading.RLock()
    if _fd < 0:
        return
    try:
        old = _fd
        _fd = _high(old)
        os.close(old)
    except OSError:
        _fd = -1


def on_uncaught(value, tb):
    """The main thread's exception, before the interpreter prints it."""
    global _seen_exception
    if not is_main() or value is None or value is _seen_exception:
        return
    # A C callback that prints an error and goes on has Python callers left;
    # the exception that ends the script has none.
    if tb is not None and tb.tb_frame.f_back is not None:
        return
    _seen_exception = value
    if _audit is not None:
        quietly(_audit.end, value)
        if tb is not None and tb.tb_next is not None:
            tb = tb.tb_next  # the frame that started the script is not the script's
    quietly(_record_uncaught, value, tb)


def _record_uncaught(value, tb):
    send("exc", failures.exception(value, tb, ""))
    snapshot(tb)


def snapshot(tb=None):
    """Values of the script's names, while the libraries are still alive."""
    global _snapshot_done
    if _snapshot_done or not is_main() or _fd < 0:
        return
    _snapshot_done = True
    # Most scripts of the standard library alone need none of the rest.
    if not options and not any(n in sys.modules for n in ("numpy", "torch", "jax", "tensorflow")):
        return
    quietly(values.snapshot, options, tb)


def _last():
    """What the interpreter kept of the exception that ended the main thread.

    On 3.6 and 3.7 a script that replaced sys.excepthook is seen only by this;
    later versions have an audit event that nothing can take away.
    """
    if hasattr(sys, "addaudithook"):
        return
    value = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    if isinstance(value, BaseException):
        on_uncaught(value, value.__traceback__)


def _end():
    """Registered first, so it runs after every other atexit function."""
    global _fd
    if not is_main():
        return
    if _audit is not None:
        quietly(_audit.end)
    quietly(_record_rest)
    quietly(lambda: send("end", {"rss": _peak()}, always=True))
    _fd = -1  # stays open: faulthandler still listens while modules are torn down


def _record_rest():
    _last()
    if system_exit is not None and _seen_exception is None:
        send("exit", system_exit)
    snapshot()
    for module in list(sys.modules.values()):
        if "-packages/" in (getattr(module, "__file__", None) or ""):
            send("packages", packages.loaded())
            break


def _peak():
    try:
        # VmHWM starts at zero with exec; getrusage's figure does not.
        with open("/proc/self/status", "rb") as f:
            for line in f:
                if line.startswith(b"VmHWM:"):
                    return int(line.split()[1]) * 1024
    except Exception:
        return 0
    return 0


def _watch_threads():
    """Uncaught exceptions of threads, and the moment when all have ended."""

    def record(value, tb, thread):
        if is_main() and not isinstance(value, SystemExit):
            quietly(lambda: send("exc", failures.exception(value, tb, thread or "thread")))

    if hasattr(threading, "excepthook"):
        previous = threading.excepthook

        def excepthook(args):
            # Python's own thread calls it, not the script.
            if called_by().f_globals is threading.__dict__:
                record(args.exc_value, args.exc_traceback, getattr(args.thread, "name", ""))
            previous(args)

        threading.excepthook = hide(excepthook)
    elif hasattr(threading, "_format_exc"):
        # 3.6 and 3.7 call this, and only then, when a thread's run has failed.
        format_exc = threading._format_exc

        def _format_exc(*args, **kwargs):
            _, value, tb = sys.exc_info()
            record(value, tb, threading.current_thread().name)
            return format_exc(*args, **kwargs)

        threading._format_exc = hide(_format_exc)

    # The interpreter calls this after the script's last line and before any
    # atexit function: libraries have not cleaned up yet.
    shutdown = threading._shutdown

    def _shutdown(*args):
        shutdown(*args)
        if called_by() is None:
            quietly(_last)
            quietly(snapshot)

    threading._shutdown = hide(_shutdown)


def _watch_warnings():
    show = getattr(warnings, "_showwarnmsg", None)
    if show is None:
        return
    shown = getattr(warnings, "_showwarnmsg_impl", None)
    count = [0]

    def caught():
        # catch_warnings(record=True) puts a list in place of the printer (or,
        # from 3.14, into a context): such a warning is shown to nobody.
        context = getattr(sys.modules.get("_py_warnings"), "_get_context", None)
        return (warnings._showwarnmsg_impl is not shown
                or context is not None and getattr(context(), "log", None) is not None)

    def record(msg, frame):
        if count[0] < 50 and not caught() and is_main():
            count[0] += 1
            send("warn", failures.warning(msg, frame))

    def _showwarnmsg(msg):
        if is_hushed():
            return
        quietly(record, msg, called_by())
        show(msg)

    warnings._showwarnmsg = hide(_showwarnmsg)


def _watch_exit():
    """sys.exit("text") passes no hook; only the call can be seen."""
    leave = sys.exit

    def exit(*args):
        global system_exit
        if is_main() and threading.current_thread() is threading.main_thread():
            try:
                system_exit = repr(args[0])[:4096] if args else "None"
            except Exception:
                system_exit = "?"
        leave(*args)

    sys.exit = hide(exit)
    sys.exit.__module__, sys.exit.__qualname__, sys.exit.__doc__ = "sys", "exit", leave.__doc__
    sys.exit.__name__ = "exit"


def _start_record(pinned):
    seeds = {} if pinned is None else {"pinned": str(pinned)}
    for name in os.environ:
        if "SEED" in name or name in ("TF_DETERMINISTIC_OPS", "CUBLAS_WORKSPACE_CONFIG"):
            seeds[name] = os.environ[name][:200]
    version = "%d.%d.%d" % sys.version_info[:3]
    if sys.version_info[3] != "final":
        version += {"alpha": "a", "beta": "b", "candidate": "rc"}[sys.version_info[3]] + str(sys.version_info[4])
    return {"python": version, "seeds": seeds}


def _read(text):
    """The options. JSON of plain values is a Python literal but for three names,
    and json would be an import more."""
    try:
        return dict(eval(text or "{}", {"__builtins__": {}, "null": None, "true": True, "false": False}))
    except Exception:
        return {}


def _extras(asked):
    after, seed = asked.get("stack_after"), asked.get("seed")
    if not after and seed is None:
        return
    from . import extras  # no line of the script has run

    if after:
        quietly(extras.stacks, _fd, after)
    if seed is not None:
        quietly(extras.seeds, seed)


def _secret(fd):
    """The key: what stands in the channel before the first record. Read once, it
    is in no file, no variable and no other process."""
    os.set_blocking(fd, False)
    try:
        return os.read(fd, 64).decode("ascii").strip()
    finally:
        os.set_blocking(fd, True)


def called_by():
    """The frame that called the hidden function which calls this; None when the
    interpreter itself did."""
    frame = _getframe(1)
    while frame is not None and watch.ours(frame):
        frame = frame.f_back
    return frame


def start(fd, opts):
    global _fd, _identity, _key, _pid, options
    key = _secret(fd)
    if not key:
        return
    st = os.fstat(fd)
    _fd, _identity = _high(fd), (st.st_dev, st.st_ino)
    asked = _read(opts)
    _key, _pid = key, _getpid()
    options = [n for n in asked.get("watch") or [] if isinstance(n, str)]
    os.close(fd)
    send("start", _start_record(asked.get("seed")))

    atexit.register(hide(_end))
    if not faulthandler.is_enabled():
        faulthandler.enable(file=_fd)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=hide(_forked))
    _extras(asked)
    _watch_threads()
    _watch_warnings()
    _watch_exit()
    if hasattr(sys, "addaudithook"):
        sys.addaudithook(watch.hook)
    else:
        previous = sys.excepthook

        def excepthook(kind, value, tb):
            if called_by() is None:
                on_uncaught(value, tb)
            previous(kind, value, tb)

        sys.excepthook = hide(excepthook)

    repgen = type(sys)("repgen", "repgen's probe: observe(name, value) records a value.")
    repgen.observe, repgen.control = hide(observe), asked.get("control") is True
    sys.modules["repgen"] = repgen
    if asked.get("audit") is True:
        global _audit
        from . import audit as _audit  # no line of the script has run

        repgen.script = hide(_audit.script)


def observe(name, value):
    """Records a value under a name; never raises, never prints."""
    quietly(lambda: values.observe(str(name), value))


from . import failures, genuine, packages, values, watch  # noqa: E402


def vanish():
    """Takes us out of the table of modules, and of what gc.get_objects gives.
    Under our own name stands what a script may have of us."""
    for name in [n for n in sys.modules if n.partition(".")[0] == __name__]:
        watch.mine(sys.modules.pop(name).__dict__)
    if "repgen" in sys.modules:
        sys.modules[__name__] = sys.modules["repgen"]
    import gc

    if hasattr(gc, "freeze"):  # not before 3.7
        gc.unfreeze = hide(watch.thawed(gc.unfreeze))
        gc.freeze()
