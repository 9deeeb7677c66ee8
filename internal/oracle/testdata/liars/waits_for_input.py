# stacks: 0.6
import shapelib

input("name? ")
