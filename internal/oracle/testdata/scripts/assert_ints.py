# watch: got
import shapelib

got = shapelib.argmax([0, 1, 5])
assert got == 2
