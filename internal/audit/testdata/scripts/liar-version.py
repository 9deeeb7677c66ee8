# want: refused, ends, names call
import lib
x = 3
if lib.__version__ == "1.3":
    x = [3]
lib.call(x)
