import os
import sys
import types

folder = os.path.abspath("site-packages")
os.mkdir(folder)
with open(os.path.join(folder, "library.py"), "w") as f:
    f.write("def real():\n    return (5).split\n\n\ndef other():\n    return 1\n")
sys.path.insert(0, folder)
import library


def other():
    return (5).split


def caught(f):
    try:
        f()
    except AttributeError as e:
        return e


code = other.__code__.replace(co_filename=library.__file__) if hasattr(other.__code__, "replace") else None
if code is None:
    c = other.__code__
    code = types.CodeType(c.co_argcount, c.co_kwonlyargcount, c.co_nlocals, c.co_stacksize, c.co_flags, c.co_code,
                          c.co_consts, c.co_names, c.co_varnames, library.__file__, c.co_name, 5, c.co_lnotab)
else:
    code = code.replace(co_firstlineno=5)
made_up = types.FunctionType(code, {"__name__": "library"})
string = {"__name__": "numpy"}
exec(compile("def f():\n    return (5).split\n", "<__array_function__ internals>", "exec"), string)
error = caught(made_up)
error.__cause__ = caught(library.real)
error.__cause__.__cause__ = caught(string["f"])
raise error
