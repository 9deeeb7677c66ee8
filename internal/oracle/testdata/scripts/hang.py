# stacks: 0.6
import shapelib

print("collecting", flush=True)
print(len(shapelib.collect()))
