import shapelib

print(shapelib.norm([[1, 2, 3], [4, 5]]))
