# want: refused, ends, names call
import lib
x, n = 3, 0
while not lib.__version__.endswith(str(n)):
    n += 1
x = [3, 3, 3, [3]][n]
lib.call(x)
