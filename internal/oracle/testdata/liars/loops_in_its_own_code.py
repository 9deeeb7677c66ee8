# stacks: 0.6
import shapelib

shapelib.norm([[1]])
while True:
    pass
