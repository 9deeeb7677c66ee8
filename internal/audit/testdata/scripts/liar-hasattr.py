# want: refused, ends, names call
import lib
x = [3] if hasattr(lib, "newname") else 3
lib.call(x)
