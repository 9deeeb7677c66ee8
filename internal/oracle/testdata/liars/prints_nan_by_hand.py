import shapelib

out = float("nan")
print("mean", out)
