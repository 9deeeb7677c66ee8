import shapelib

assert shapelib.argmax([0, 1, 5]) == 7
