"""Exceptions and warnings as data."""
from builtins import *  # noqa: F403
from . import genuine, qualified, watch

_import = __import__

FRAMES = 200  # of one traceback: a recursion's middle says nothing new
CHAIN = 20
MESSAGE = 65536


def bases(cls):
    try:
        return [qualified(c) for c in cls.__mro__[:40]]
    except Exception:
        return []


def frame(f, line, source=True):
    code = f.f_code
    text = ""
    if source and not watch.ours(f):  # linecache is given the globals
        try:
            # Dear, and few need it. An import statement would hand our globals
            # to an __import__ of the script's.
            text = _import("linecache").getline(code.co_filename, line or 0, f.f_globals).strip()[:500]
        except Exception:
            pass
    module = f.f_globals.get("__name__")
    return {"file": code.co_filename, "line": line or 0, "function": code.co_name,
            "module": module if isinstance(module, str) else "", "source": text}


def frames(tb):
    items = []
    while tb is not None and len(items) < 100000:
        items.append((tb.tb_frame, tb.tb_lineno))
        tb = tb.tb_next
    if len(items) > FRAMES:
        items = items[:FRAMES // 2] + items[-FRAMES // 2:]
    records = [frame(f, line) for f, line in items]
    genuine.mark(items, records)
    return records


def message(value):
    try:
        if isinstance(value, SyntaxError) and isinstance(value.msg, str):
            return value.msg[:MESSAGE]
        return str(value)[:MESSAGE]
    except Exception:
        return "<exception str() failed>"


def one(value, tb):
    cls = type(value)
    record = {"type": qualified(cls), "mro": bases(cls), "message": message(value), "frames": frames(tb)}
    if isinstance(value, SyntaxError) and isinstance(value.filename, str):
        # The faulty file never ran, so it has no frame: its place is in here.
        text = value.text.strip()[:500] if isinstance(value.text, str) else ""
        line = value.lineno if isinstance(value.lineno, int) else 0
        record["frames"].append({"file": value.filename, "line": line, "function": "", "source": text})
    notes = getattr(value, "__notes__", None)
    if isinstance(notes, (list, tuple)):
        record["notes"] = [str(n)[:4096] for n in notes[:20]]
    return record


def exception(value, tb, thread):
    record = one(value, tb)
    if thread:
        record["thread"] = thread
    chain, seen = [], {id(value)}
    _members(value, chain, seen, 0)
    while len(chain) < CHAIN:
        cause, link = value.__cause__, "cause"
        if cause is None and not value.__suppress_context__:
            cause, link = value.__context__, "context"
        if cause is None or id(cause) in seen:
            break
        seen.add(id(cause))
        linked = one(cause, cause.__traceback__)
        linked["link"] = link
        chain.append(linked)
        _members(cause, chain, seen, 0)
        value = cause
    if chain:
        record["chain"] = chain
    return record


def _members(value, chain, seen, depth):
    members = getattr(value, "exceptions", None)
    if not isinstance(members, (list, tuple)) or depth > 3:
        return
    for member in members:
        if len(chain) >= CHAIN or not isinstance(member, BaseException) or id(member) in seen:
            continue
        seen.add(id(member))
        linked = one(member, member.__traceback__)
        linked["link"] = "member"
        chain.append(linked)
        _members(member, chain, seen, depth + 1)


def warning(msg, f):
    """A shown warning with the stack that led to it, outermost first."""
    stack = []
    while f is not None and len(stack) < 40:
        # Sources of the script and of the place itself: reading every library
        # file on the way would cost tens of milliseconds.
        wanted = f.f_globals.get("__name__") == "__main__" or f.f_code.co_filename == msg.filename
        stack.append(frame(f, f.f_lineno, wanted))
        f = f.f_back
    stack.reverse()
    category = msg.category if isinstance(msg.category, type) else type(msg.message)
    return {"category": qualified(category), "mro": bases(category), "message": message(msg.message),
            "file": str(msg.filename), "line": int(msg.lineno), "frames": stack}
