# want: counts, ends, names fixed
import random, time, lib

began = time.time()
x = random.random()
if x < 2:
    print(x, id(x))
print(time.time() - began)
lib.fixed(3)
