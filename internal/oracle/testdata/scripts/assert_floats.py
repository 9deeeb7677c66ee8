# watch: before, after
import shapelib

before = shapelib.distance(False)
after = shapelib.distance(True)
print(before, after)
assert before == after
