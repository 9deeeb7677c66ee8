# want: refused, ends, names call
import lib
import importlib.util as u
x = [[3], 3][u.find_spec("lib.newmod") is None]
lib.call(x)
