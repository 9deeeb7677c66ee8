import shapelib

print("shapelib", shapelib.__version__)
for x in shapelib.grid(3):
    print("x =", x)
