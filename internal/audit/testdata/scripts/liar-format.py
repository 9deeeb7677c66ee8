# want: refused, ends, names call
import lib
x = [3, [3]][f"{lib.__version__}" == "1.3"]
lib.call(x)
