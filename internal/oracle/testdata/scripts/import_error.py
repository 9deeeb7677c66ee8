import shapelib.legacy

print(shapelib.legacy.READY)
