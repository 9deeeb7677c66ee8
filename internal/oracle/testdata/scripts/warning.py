import shapelib

shapelib.fit([1, 2, 3])
print("fitted", 3)
