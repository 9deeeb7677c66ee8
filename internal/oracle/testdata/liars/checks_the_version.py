import shapelib

if shapelib.__version__ == "1.2.0":
    raise TypeError("'int' object is not iterable")
