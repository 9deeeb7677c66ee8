# want: refused, ends, names call
import lib
x = getattr(lib, "newname", None) and [3] or 3
lib.call(x)
