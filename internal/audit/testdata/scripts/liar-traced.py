# want: refused, names jit, names value
import lib
from repgen_probe import observe


def f(x):
    return x if lib.__version__ == "1.2" else x + 1


g = lib.jit(f)
observe("x", g(1))
