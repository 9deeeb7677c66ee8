import shapelib
import no_such_module_here

shapelib.total([1, 2], axis=1)
