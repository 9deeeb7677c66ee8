"""Objects whose methods run code, raise or hang: none of them is ever called."""
import lib


class Meta(type):
    def __getattribute__(cls, name):
        print("META", name)
        return type.__getattribute__(cls, name)

    def __eq__(cls, other):
        print("META ==")
        return True

    __hash__ = type.__hash__


def loud(name):
    def method(self, *args):
        print("CALLED", name)
        while True:
            pass
    return method


names = "__eq__ __ne__ __repr__ __str__ __hash__ __bool__ __len__ __iter__ __next__ __array__ __float__ __int__ __index__ " \
        "__getitem__ __contains__ __getattr__ __reduce__ __reduce_ex__ __format__ __dir__ __sizeof__ __instancecheck__".split()
Loud = Meta("Loud", (object,), dict((n, loud(n)) for n in names))
Loud.__class__ if False else None


class Key(str):
    def __eq__(self, other):
        print("KEY ==")
        return str.__eq__(self, other)

    def __hash__(self):
        return 1

    def __repr__(self):
        raise RuntimeError("no repr")


class Number(int):
    def __repr__(self):
        raise SystemExit("no repr")


class Error(Exception):
    def __str__(self):
        raise RuntimeError("no text")

    args = property(lambda self: print("ARGS"))


def f(x, *more, **named):
    return x


class Items(list):
    def __iter__(self):
        print("ITER")
        return iter([])

    def __len__(self):
        print("LEN")
        return 0

    def __getitem__(self, i):
        print("GET")


class Table(dict):
    def items(self):
        print("ITEMS")

    def __len__(self):
        print("LEN")
        return 0


x = object.__new__(Loud)
print("begin")
y = f(x)
z = f([x, {1: x}, (x,)], x, k=x)
f({Key("a"): x})
f(Number(3))
f(Items([1, 2]), Table({"a": x}))
try:
    raise Error()
except Error:
    pass


def g(e):
    raise e


try:
    g(Error())
except Error:
    pass
print("done")
