import shapelib

print(shapelib.total([1, 2], axis=(0,)))
print(shapelib.total([1, 2], axis=1))
