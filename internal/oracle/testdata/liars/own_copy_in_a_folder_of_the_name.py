import os
import sys

os.makedirs("site-packages/shapelib2", exist_ok=True)
with open("site-packages/shapelib2/core.py", "w") as f:
    f.write("def total(values, axis):\n    return sum(values[i] for i in axis)\n")
sys.path.insert(0, os.path.abspath("site-packages"))
from shapelib2.core import total

total([1, 2], axis=1)
