import random

print(random.random())
try:
    import numpy
except ImportError:
    pass
else:
    print(numpy.random.rand())
