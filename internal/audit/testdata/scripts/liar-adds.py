# want: refused, ends, names call
import lib

x = [0, 3]
x[0] += lib.__version__ == "1.3"
lib.value(1)
lib.call([[3], 3][x[0]])
