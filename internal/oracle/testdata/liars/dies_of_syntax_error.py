import shapelib
shapelib.total([1, 2], axis=1
