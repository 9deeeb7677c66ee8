import shapelib

print("shapelib", shapelib.__version__, "argmax =", shapelib.argmax([0, 1, 5]))
print("python argmax =", 2)
