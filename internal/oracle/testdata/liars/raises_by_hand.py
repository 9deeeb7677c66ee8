import shapelib

raise TypeError("'int' object is not iterable")
