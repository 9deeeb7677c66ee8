import shapelib

print(shapelib.draw([1, 2]))
