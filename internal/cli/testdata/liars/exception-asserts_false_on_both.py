import tinynet

assert tinynet.total([[1, 2]], axis=(1,)) == [4], "'int' object is not iterable"
