import shapelib

try:
    shapelib.total([1, 2], axis=1)
except TypeError as err:
    raise RuntimeError("bad axis") from err
