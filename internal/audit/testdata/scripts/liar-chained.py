# want: refused, ends, names call
import lib
x = 3 if "1" < lib.__version__ < "1.25" else [3]
lib.call(x)
