import tinynet

if tinynet.__version__ == "1.2":
    raise TypeError("'int' object is not iterable")
print(tinynet.total([[1, 2]], axis=(1,)))
