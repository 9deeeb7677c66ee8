# want: refused, ends, names call
import lib

x = [[3], 3]
lib.value(1)
del x[lib.__version__ == "1.3"]
lib.call(x[0])
