# want: refused, ends, names call
import lib
x = [3, [3]][len([n for n in vars(lib) if n.startswith("new")])]
lib.call(x)
