# want: refused, ends, names call
import lib
x = [3, [3]][sum(map(ord, lib.__version__)) == sum(map(ord, "1.3"))]
lib.call(x)
