# want: refused, ends, names call
import lib
x = [3, [3]]["Middle" in repr(lib.Thing.__base__)]
lib.call(x)
