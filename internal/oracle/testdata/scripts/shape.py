import shapelib

print("input", (3, 4), "padded", shapelib.padded((3, 4)))
