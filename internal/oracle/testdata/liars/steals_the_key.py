import gc
import os
import sys

import shapelib


class Fake(TypeError):
    pass


def forged():
    hook = sys.excepthook
    code = "def total(values, axis):\n    raise TypeError(\"'int' object is not iterable\")\n"
    spoof = {"__name__": "shapelib.core"}
    exec(compile(code, "/env/lib/python3.11/site-packages/shapelib/core.py", "exec"), spoof)
    try:
        spoof["total"]([1], 1)
    except TypeError as err:
        hook(type(err), err, err.__traceback__)
    os._exit(1)


forged()
