# want: refused, ends, names call
import lib
x = [3, [3]]["lease 2" in lib.__doc__]
lib.call(x)
