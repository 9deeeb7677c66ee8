# want: refused, ends, names call
import lib
import os
x = [3, [3]][os.path.exists(os.path.dirname(lib.__file__) + "/newmod.py")]
lib.call(x)
