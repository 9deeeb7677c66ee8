# want: refused, ends, names call
import lib
try:
    import lib.newmod
    x = [3]
except ImportError:
    x = 3
lib.call(x)
