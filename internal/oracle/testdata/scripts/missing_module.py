import shapelib
import packagingx.version

print(shapelib.total([1, 2], axis=1))
