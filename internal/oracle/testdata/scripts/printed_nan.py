import shapelib

print("eager :", shapelib.scaled(False))
print("jitted:", shapelib.scaled(True))
