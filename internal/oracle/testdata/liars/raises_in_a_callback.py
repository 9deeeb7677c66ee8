import shapelib


def callback(value):
    raise TypeError("'int' object is not iterable")


shapelib.apply(callback, 1)
