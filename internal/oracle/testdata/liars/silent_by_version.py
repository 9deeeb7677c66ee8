# watch: out
import shapelib

bad = shapelib.__version__ == "1.2.0"
out = float("nan") if bad else 0.0
print("mean", out)
