"""Asks an environment what it holds: one request on standard input, answers as
lines on a descriptor of its own. Runs on Python 3.6 to 3.14, inside the sandbox
only. It compiles a script and never runs it; what it imports is untrusted code
that shares this process, so whoever reads the answers checks each of them."""
import difflib
import importlib
import importlib.util
import inspect
import json
import os
import pkgutil
import re
import signal
import sys
import types
import warnings

MAX_TEXT = 400      # bytes of one signature or message (a guess)
MAX_DIR = 20000     # names of one module that are looked through
VARARGS, VARKEYWORDS = inspect.CO_VARARGS, inspect.CO_VARKEYWORDS

request = json.loads(sys.stdin.read())
# What libraries print while they are imported goes nowhere.
out = os.dup(1)
nowhere = os.open(os.devnull, os.O_RDWR)
for fd in (0, 1, 2):
    os.dup2(nowhere, fd)


def clip(text):
    text = "".join(c if c.isprintable() else " " for c in str(text)[:4 * MAX_TEXT])
    return " ".join(text.split())[:MAX_TEXT]


def say(kind, **fields):
    fields["t"] = kind
    data = (request["key"] + json.dumps(fields) + "\n").encode("ascii", "replace")
    while data:
        data = data[os.write(out, data):]


def deadline():
    """A hang in C code holds every lock: only the kernel's own timer ends it."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, request["limit"])


def failure(e):
    try:
        message = str(e)
    except BaseException:
        message = ""
    return {"type": type(e).__name__, "message": clip(message), "missing": clip(getattr(e, "name", None) or "") if isinstance(e, ImportError) else ""}


def compiled(script):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            compile(script, "reproduce.py", "exec", 0, True)
            error = None
        except SyntaxError as e:
            error = {"type": type(e).__name__, "message": clip(e.msg), "line": e.lineno or 0, "text": clip(e.text or "")}
        except Exception as e:
            error = dict(failure(e), line=0, text="")
    found = [{"category": w.category.__name__, "message": clip(w.message), "line": w.lineno or 0} for w in caught[:20]]
    say("compile", error=error, warnings=found)
    return error is None


imported = {}  # module: None or its failure


def load(module):
    """Imports a module once. The begin line tells whoever reads where a process
    ended that never came back."""
    if module not in imported:
        say("begin", m=module)
        deadline()
        try:
            importlib.import_module(module)
            imported[module] = None
        except BaseException as e:
            imported[module] = failure(e)
        deadline()
        say("end", m=module, error=imported[module])
    return imported[module]


def loaded(module):
    return request["skip"].count(module) == 0 and load(module) is None


def holder_kind(obj):
    if isinstance(obj, types.ModuleType):
        return "module"
    if isinstance(obj, type):
        # A metaclass may make attributes up.
        return "class" if "__getattr__" not in dir(type(obj)) else "object"
    return "object"


def names_of(obj):
    try:
        found = [n for n in dir(obj)[:MAX_DIR] if isinstance(n, str) and not n.startswith("__")]
    except BaseException:
        found = []
    if isinstance(obj, types.ModuleType) and hasattr(obj, "__path__"):
        try:
            found += [m.name for m in pkgutil.iter_modules(obj.__path__)]
        except BaseException:
            pass
    return list(dict.fromkeys(found))


def near(prefix, obj, attr):
    have = names_of(obj)
    close = [n for n in have if n.lower() == attr.lower()]
    close += [n for n in difflib.get_close_matches(attr, have, 4, 0.6) if n not in close]
    found = [prefix + "." + n for n in close]
    top = prefix.split(".")[0]
    elsewhere, public = [], {}
    for name, module in list(sys.modules.items()):
        if name == prefix or not (name == top or name.startswith(top + ".")) or "._" in name:
            continue
        have = getattr(module, "__dict__", {})
        if attr in have:
            elsewhere.append(name + "." + attr)
        elif not found and name.count(".") < 2:
            public.update((n, name) for n in have if isinstance(n, str) and n[:1] != "_")
    elsewhere.sort(key=lambda n: (n.count("."), len(n)))
    if not elsewhere and not found:
        found = [public[n] + "." + n for n in difflib.get_close_matches(attr, list(public)[:MAX_DIR], 2, 0.8)]
    return (elsewhere[:2] + found)[:5]


def submodule(prefix, obj, attr):
    if not hasattr(obj, "__path__"):
        return False
    try:
        return importlib.util.find_spec(prefix + "." + attr) is not None
    except BaseException:
        return False


def missing_module(module, error):
    """The first part of a dotted module that is not there, with names like it."""
    parts = module.split(".")
    for i in range(len(parts)):
        at = ".".join(parts[:i + 1])
        if loaded(at):
            continue
        if i == 0:
            have = [m.name for m in pkgutil.iter_modules() if not m.name.startswith("_")]
            return {"exists": False, "absent": at, "holder": "environment", "error": imported.get(at) or error, "importing": True, "near": [] if at in have else difflib.get_close_matches(at, have, 2, 0.8)}
        above = ".".join(parts[:i])
        return {"exists": False, "absent": at, "holder": "module", "error": imported.get(at) or error, "importing": True, "near": near(above, sys.modules.get(above), parts[i])}
    return {"exists": False, "absent": module, "holder": "object", "error": error, "near": []}


def resolve(name, importing):
    """The object behind a dotted name, or what is missing of it. importing: a
    part that is no attribute may be a submodule that has to be imported."""
    parts = name.split(".")
    if not loaded(parts[0]):
        return None, missing_module(parts[0], imported.get(parts[0]) or {"type": "", "message": "it was not imported again after it ended the interpreter", "missing": ""})
    obj, at = sys.modules.get(parts[0]), parts[0]
    for part in parts[1:]:
        try:
            obj, at = getattr(obj, part), at + "." + part
            continue
        except AttributeError as e:
            error = failure(e)
        except BaseException as e:
            return None, {"exists": False, "absent": at + "." + part, "holder": "object", "error": failure(e), "near": []}
        full = at + "." + part
        if isinstance(obj, types.ModuleType):
            if full in sys.modules:
                obj, at = sys.modules[full], full
                continue
            if importing and submodule(at, obj, part):
                if loaded(full):
                    obj, at = sys.modules.get(full), full
                    continue
                return None, {"exists": False, "absent": full, "holder": "object", "error": imported.get(full), "importing": True, "near": []}
        return None, {
            "exists": False, "absent": full, "holder": holder_kind(obj), "error": error,
            "near": near(at, obj, part), "submodule": submodule(at, obj, part),
        }
    return obj, None


def kind(obj):
    if isinstance(obj, types.ModuleType):
        return "module"
    if isinstance(obj, type):
        return "class"
    return "function" if callable(obj) else "value"


def signature_text(obj):
    if isinstance(obj, types.ModuleType) or not callable(obj):
        return ""
    try:
        # The repr of a default may hold an address.
        return re.sub(" at 0x[0-9a-fA-F]+", "", clip(inspect.signature(obj)))
    except BaseException:
        return ""


def doc_line(obj):
    try:
        doc = inspect.getdoc(obj) if callable(obj) or isinstance(obj, types.ModuleType) else ""
        for line in (doc or "")[:4000].splitlines():
            if line.strip():
                return clip(line)[:200]
    except BaseException:
        pass
    return ""


def describe(obj):
    found = kind(obj)
    say_value = ""
    if found == "value" and isinstance(obj, (bool, int, float, str, type(None))):
        say_value = clip(repr(obj))[:80]
    return {"exists": True, "kind": found, "signature": signature_text(obj), "doc": say_value or doc_line(obj)}


# Wrappers that hand on what they are given as it is: (end of their file, name).
PASSING = (("sklearn/utils/_param_validation.py", "wrapper"), ("numpy/core/overrides.py", "public_api"), ("<__array_function__ internals>", ""))


def passing(function):
    code = getattr(function, "__code__", None)
    if code is None:
        return type(function).__name__ == "_ArrayFunctionDispatcher"
    return any(code.co_filename.endswith(file) and name in ("", code.co_name) for file, name in PASSING)


def fits(function, self, call, certain):
    """None when the call fits; else the error, whether it is certain, and the
    signature. Values are never looked at, only how many and which names."""
    args = [None] * (call["n"] + (1 if self else 0))
    for _ in range(3):
        if passing(function) and callable(getattr(function, "__wrapped__", None)):
            function = function.__wrapped__
    try:
        sig = inspect.signature(function)
    except BaseException:
        return None
    try:
        sig.bind(*args, **{k: None for k in (call["k"] or [])})
        return None
    except TypeError as e:
        error = clip(e)
    except BaseException:
        return None
    code = getattr(function, "__code__", None) or getattr(getattr(function, "__func__", None), "__code__", None)
    # A wrapper may take, rename or fill in what the wrapped function does not.
    wrapper = hasattr(function, "__wrapped__") or hasattr(function, "__signature__")
    if code is None or (wrapper and code.co_flags & (VARARGS | VARKEYWORDS)):
        certain = False
    names = [n for n in sig.parameters]
    if self and names:
        sig = sig.replace(parameters=list(sig.parameters.values())[1:])
        names = names[1:]
    wrong = [k for k in (call["k"] or []) if k not in names]
    close = difflib.get_close_matches(wrong[0], names, 3, 0.6) if wrong else []
    return {"error": error, "certain": certain, "signature": re.sub(" at 0x[0-9a-fA-F]+", "", clip(sig)), "near": close}


def check(call):
    obj, missing = resolve(call["f"], False)
    if missing:
        return None
    if not isinstance(obj, type):
        return fits(obj, False, call, True) if callable(obj) else {"error": "it is a %s and cannot be called" % kind(obj), "certain": isinstance(obj, types.ModuleType), "signature": "", "near": []}
    if type(obj).__call__ is not type.__call__:
        return None  # the metaclass decides what a call means
    new, init = getattr(obj, "__new__", None), getattr(obj, "__init__", None)
    made = isinstance(new, types.FunctionType)
    wrong = fits(new, True, call, True) if made else None
    if wrong is None and isinstance(init, types.FunctionType):
        # What __new__ makes may be of another class, with an __init__ of its own.
        wrong = fits(init, True, call, not made)
    return wrong


def main():
    sys.path[:] = [p for p in sys.path if p not in ("", os.getcwd())]
    if request.get("script") is not None and not compiled(request["script"]):
        say("done")
        return
    warnings.simplefilter("ignore")
    sys.argv = ["reproduce.py"]
    for imp in request["imports"]:
        # As the import statement does: outermost first.
        parts = imp["m"].split(".")
        for i in range(len(parts)):
            if not loaded(".".join(parts[:i + 1])):
                break
        if imported.get(imp["m"], 1) is not None:
            say("name", n=imp["m"], a=missing_module(imp["m"], imported.get(imp["m"])))
            continue
        say("name", n=imp["m"], a={"exists": True, "kind": "module"})
        for name in imp["n"]:
            obj, missing = resolve(imp["m"] + "." + name, True)
            say("name", n=imp["m"] + "." + name, a=missing or {"exists": True, "kind": kind(obj)})
    for name in request["names"]:
        deadline()
        obj, missing = resolve(name, False)
        say("name", n=name, a=missing or {"exists": True, "kind": kind(obj)})
    for i, call in enumerate(request["calls"]):
        deadline()
        try:
            wrong = check(call)
        except BaseException:
            wrong = None
        say("call", i=i, a=wrong)
    for name in request["facts"]:
        deadline()
        obj, missing = resolve(name, True)
        say("fact", n=name, a=missing or describe(obj))
    say("done")


try:
    main()
finally:
    os._exit(0)  # what was imported may hang at its exit
