import shapelib

assert True
