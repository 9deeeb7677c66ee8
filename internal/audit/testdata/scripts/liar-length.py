# want: refused, ends, names call
import lib
x = [3] if "newname" in dir(lib) else 3
lib.call(x)
