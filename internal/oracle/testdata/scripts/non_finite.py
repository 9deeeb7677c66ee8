# watch: out
import shapelib

out = shapelib.mean([])
print("mean", out)
