"""What a script sees of itself is what it would see without a recorder."""
import inspect
import sys
import traceback
import warnings


def who():
    return sys._getframe(1).f_code.co_name


def outer():
    return who()


import builtins

print(len(dir(builtins)), [n for n in dir(builtins) + list(sys.modules) if "audit" in n or "probe" in n])
print(outer(), [f.function for f in inspect.stack()[:1]])
print(inspect.getsource(outer))
warnings.simplefilter("always")


def deprecated():
    warnings.warn("old", DeprecationWarning, stacklevel=2)


deprecated()
try:
    int("x")
except ValueError:
    print(len(traceback.extract_tb(sys.exc_info()[2])))
print(__name__, sys.argv, sorted(n for n in globals() if not n.startswith("__")), "repgen_probe" in sys.modules)


class A(object):
    def __init__(self):
        super().__init__()
        self.__x = 1

    @property
    def x(self):
        return self.__x


print(A().x, len(locals()) == len(globals()), eval("1 + 1"), vars() is globals())


async def wait():
    return 3


def run(c):
    try:
        c.send(None)
    except StopIteration as e:
        return e.value


print(run(wait()))
a, *b = [1, 2, 3]
b += [4]
c = {**{"k": 1}, "l": [x for x in range(3) if x]}
print(a, b, c, f"{a!r:>4}{b[0]:02d}", 1 < a + 1 <= 2, not a, -a, b[::-1], c["l"][0:1], (lambda q=2: q)())
