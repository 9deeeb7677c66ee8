# want: refused, ends, names call
import lib
if lib.__version__ == "1.2":
    raise TypeError("no")
lib.call([3])
