import tinynet

tinynet.total([[1, 2]], axis=(1,))
raise TypeError("'int' object is not iterable")
