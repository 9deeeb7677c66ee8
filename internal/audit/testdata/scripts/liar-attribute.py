# want: refused, ends, names call
import lib
try:
    lib.newname
    x = [3]
except AttributeError:
    x = 3
lib.call(x)
