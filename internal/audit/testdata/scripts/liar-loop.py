# want: refused, ends, names call
import lib
n = 0
for name in dir(lib):
    n += 1
x = [3, [3]][n > 30]
lib.call(x)
