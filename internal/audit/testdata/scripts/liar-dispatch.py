# want: refused, ends, names call
import lib
x = {"1.2": 3, "1.3": [3]}[lib.__version__]
lib.call(x)
