# want: refused, ends, names call
import lib
import random
random.seed(len(dir(lib)))
x = 3 if random.random() < 0.5 else [3]
lib.call(x)
