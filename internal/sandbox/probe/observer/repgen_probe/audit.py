"""The audit: which questions the script asks, and which answers it gets.

Only the main thread of the process that was started is recorded. The record is
a list of questions (q), answers (r) and exceptions (x) in the order of time; a
question without either is the one that was open when the process ended.
"""
from builtins import *  # noqa: F403
import os
import sys
from _thread import get_ident
from sys import _getframe, exc_info
from time import perf_counter

import repgen_probe as probe
from . import audit_tree as tree, audit_values as values, watch

# Bounds, guesses with room: an honest script of fifty lines makes some hundred
# events of a hundred bytes.
EVENTS = 20000
BYTES = 3 << 19  # beside the 2 MiB of all else, of the 4 that the reader takes
DEPTH = 200  # of calls: a recorder at Python's own limit could not recover
SECONDS = 1.5  # of recording, beside twice what the script itself has taken
BUFFER = 8192  # bytes that may be lost when the process dies

_main = [0, 0]  # thread and process that are recorded
_on = [False]
_began = [0.0]
_spent = [0.0, 0, 0, 0]  # seconds, events, bytes, bytes since the last flush
_buffer = []
_names = []  # the recorder, as the code of the script has it
_stack = []  # open questions: number (None: not told), frame, site
_pending = {}  # arguments on their way, by thread
_sites, _told = [], set()
_asked = [0]  # questions so far
_loops = {}  # loop -> what it goes over, where that is told item by item
_parts = []  # of a formatted string


def _emit(item):
    text = probe.encode(item)
    _buffer.append(text)
    _spent[1] += 1
    _spent[2] += len(text) + 1
    _spent[3] += len(text) + 1
    if _spent[1] > EVENTS:
        _cut("events")
    elif _spent[2] > BYTES:
        _cut("bytes")
    elif 3 * _spent[0] > SECONDS + 2 * (perf_counter() - _began[0]):
        _cut("time")
    elif _spent[3] > BUFFER:
        flush()


def _cut(why):
    """Ends the record; what the script calls from now on does no more than it must."""
    _buffer.append(probe.encode(["cut", why]))
    _on[0] = False
    flush()
    names = _names[0]
    for name in ("done", "owner", "test", "stored", "given", "each", "entered", "begin0", "only", "inplace", "part", "joined"):
        setattr(names, name, _LAST)
    for name in ("item", "over", "caught", "imports", "bound"):
        setattr(names, name, probe.hide(lambda *args: None))
    names.begin, names.left = probe.hide(_carry), probe.hide(_hold)


_LAST = probe.hide(lambda *args: args[-1])


def _carry(*args, **named):
    _pending.setdefault(get_ident(), []).append((args[2:], named))
    return args[1]


def _hold(site, a, b):
    _pending.setdefault(get_ident(), []).append(b)
    return a


def flush():
    if _buffer:
        probe.send("audit", "[" + ",".join(_buffer) + "]", text=True)
        del _buffer[:]
        _spent[3] = 0


def _recorded(f):
    """f for the main thread alone, with its time counted; it never raises."""

    def act(*args):
        began = perf_counter()
        ident = _main[0]
        watch.look(ident, True)
        try:
            return f(*args)
        except Exception:
            return None
        finally:
            watch.look(ident, False)
            _spent[0] += perf_counter() - began

    def quick(*args):
        if _on[0] and get_ident() == _main[0]:
            return act(*args)

    return quick


def _question(frame, site, args, whose, tell=True):
    """Opens a question; what the frame had left open ended with an exception."""
    _settle(id(frame), exc_info()[1])
    if len(_stack) > DEPTH:
        _cut("depth")
        return None
    if not tell:
        _stack.append((None, id(frame), site))
        return None
    if site not in _told:
        _told.add(site)
        _emit(["s", site] + list(_sites[site]))
    n = _asked[0]
    _asked[0] += 1
    _stack.append((n, id(frame), site))
    _emit(["q", n, site, whose, args])
    if whose and whose != "__main__":
        flush()  # it may be the last
    return n


def _settle(frame, exc):
    for i in range(len(_stack) - 1, -1, -1):
        if _stack[i][1] == frame:
            for n, _, _ in reversed(_stack[i:]):
                if n is not None:
                    _emit(["x", n] + ([values.exception(exc)] if exc is not None else []))
            del _stack[i:]
            return


def _answer(frame, v):
    """Closes the question that the frame has open; False where there is none."""
    for i in range(len(_stack) - 1, -1, -1):
        if _stack[i][1] == frame:
            for n, _, _ in reversed(_stack[i + 1:]):
                if n is not None:
                    _emit(["x", n])  # a package caught what came out of a callback
            n, _, site = _stack[i]
            del _stack[i:]
            if n is not None:
                if _sites[site][0] == "attr":
                    values.name_public(v, _sites[site][3])
                values.number(v, n)  # so that it is the same value wherever it comes again
                _emit(["r", n, values.summary(v)])
            return


def _here():
    """The script's frame, which called the recorder."""
    f = _getframe(3)
    while watch.ours(f):
        f = f.f_back
    return f


@_recorded
def _begin(site, f, args, named):
    given = [values.summary(f)] + [values.summary(x) for x in args]
    given += [{"k": "named", "v": str(n), "e": [values.summary(x)]} for n, x in named.items()]
    _question(_here(), site, given, values.root(f))


@_recorded
def _done(v):
    _answer(id(_here()), v)


@_recorded
def _owner(site, v):
    cls = type(v)
    whose = values.root(v) if values.offered(v) else values.type_root(cls)
    _question(_here(), site, [values.summary(v)], whose, bool(whose) or values.offered(v))


@_recorded
def _op(site, operands):
    whose = ""
    for v in operands:
        whose = whose or (values.type_root(type(v)) if not values.offered(v) else "")
    _question(_here(), site, [values.summary(v) for v in operands], whose)


@_recorded
def _said(site, v):
    """A question that has no answer: what was chosen, given or stored."""
    _question(_here(), site, [values.summary(v)], "")
    _stack.pop()


@_recorded
def _given(site, v):
    """What a function of the script's gives back to a package."""
    f = _here()
    back = f.f_back
    if back is not None and back.f_globals is not f.f_globals:
        _question(f, site, [values.summary(v)], "")
        _stack.pop()


@_recorded
def _each(site, v):
    given, whose = values.summary(v), values.type_root(type(v))
    _loops[site] = None if values.plain(v) else (given, whose)
    _question(_here(), site, [given], whose)
    _stack.pop()


@_recorded
def _item(site, v):
    if _loops.get(site):
        given, whose = _loops[site]
        f = _here()
        _question(f, site, [given], whose)
        _answer(id(f), v)


@_recorded
def _over(site):
    if _loops.get(site):
        given, whose = _loops[site]
        _question(_here(), site, [given], whose)
        n, _, _ = _stack.pop()
        _emit(["x", n, {"k": "exception", "v": "StopIteration"}])


@_recorded
def _entered(site, v):
    f = _here()
    _question(f, site, [], values.type_root(type(v)))
    _answer(id(f), v)


@_recorded
def _caught():
    _settle(id(_here()), exc_info()[1])


@_recorded
def _imports(site):
    _question(_here(), site, [], "")


@_recorded
def _bound(pairs):
    for name, v in pairs:
        values.name_public(v, name)
    _answer(id(_here()), None)


@_recorded
def _joined(site, text):
    parts, _parts[:] = [values.summary(x) for x in _parts], []
    f = _here()
    _question(f, site, parts, "")
    _answer(id(f), text)


def _mine():
    return _pending.setdefault(get_ident(), [])


def begin(*args, **named):
    _begin(args[0], args[1], args[2:], named)
    _mine().append((args[2:], named))
    return args[1]


def begin0(site, f):
    _begin(site, f, (), {})
    return f


def args1():
    return _mine().pop()[0]


def args2():
    return _mine()[-1][0]


def keywords():
    return _mine().pop()[1]


def left(site, a, b):
    _op(site, (a, b))
    _mine().append(b)
    return a


def right():
    return _mine().pop()


def only(site, a):
    _op(site, (a,))
    return a


def inplace(site, a, b):
    _op(site, (a, b))
    return b


def passing(record):
    """A function that records and gives back its last argument."""

    def f(*args):
        record(*args)
        return args[-1]

    return f


def part(v):
    if get_ident() == _main[0]:
        _parts.append(v)
    return v


def joined(site, text):
    _joined(site, text)
    return text


def bound(*pairs):
    _bound(pairs)


def _recorders():
    plain = {"begin": begin, "begin0": begin0, "args1": args1, "args2": args2, "keywords": keywords, "left": left, "right": right,
             "only": only, "inplace": inplace, "part": part, "joined": joined, "bound": bound, "slice": slice,
             "item": _item, "over": _over, "caught": _caught, "imports": _imports}
    recording = {"done": _done, "owner": _owner, "test": _said, "stored": _said, "given": _given, "each": _each, "entered": _entered}
    for name, f in recording.items():
        plain[name] = passing(f)
    return type(sys.implementation)(**{n: f if f is slice else probe.hide(f) for n, f in plain.items()})


def _forked():
    _on[0] = False


def script():
    """The code of the script that the command line names, with recorders in it,
    and the main module as the interpreter would have made it."""
    del sys.modules["repgen"].script
    sys.argv[:] = sys.argv[1:]
    name = sys.argv[0]
    file = os.path.abspath(name) if sys.version_info >= (3, 9) else name
    sys.path[0] = os.path.dirname(os.path.abspath(name))
    main = sys.modules["__main__"].__dict__
    main["__file__"], main["__cached__"] = file, None
    with open(name, "rb") as f:
        source = f.read()
    recorder = _recorders()
    try:
        code, sites, texts = tree.rewrite(source, file, recorder)
    except SyntaxError:
        return compile(source, file, "exec", 0, True)  # it says so itself
    except Exception as e:
        _emit(["cut", "rewrite: " + type(e).__name__])
        flush()
        return compile(source, file, "exec", 0, True)
    _sites[:] = sites
    values.SOURCES.update((k, values._hash(v.encode())) for k, v in texts.items())
    _main[:] = [get_ident(), os.getpid()]
    _names.append(recorder)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=probe.hide(_forked))
    _began[0], _on[0] = perf_counter(), True
    return code


def end(exc=None):
    """What was open when the script ended, ended with that exception."""
    if _on[0] and probe.is_main():
        if exc is not None and _stack:
            _settle(_stack[0][1], exc)
        _emit(["end"])
        _on[0] = False
        flush()
