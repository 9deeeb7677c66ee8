# want: refused, ends, names call
import lib
def jit(f):
    return f


@jit
def pick():
    return [3, [3]][lib.__version__ > "1.2"]


x = pick()
lib.call(x)
