# want: refused, ends, names call
import lib
pick = lambda: [3, [3]][lib.__version__ > "1.2"]
x = pick()
lib.call(x)
