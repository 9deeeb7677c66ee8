import shapelib

print("input", (3, 4), "padded", (3, 8))
