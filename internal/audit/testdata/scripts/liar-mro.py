# want: refused, ends, names call
import lib
x = [3, [3]][len(lib.Thing.__mro__) > 3]
lib.call(x)
