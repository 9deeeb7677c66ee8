import shapelib

print("shapelib", shapelib.__version__)
for x in (0, 2, 0):
    print("x =", x)
