# stacks: 0.6
import time

import shapelib

shapelib.apply(lambda s: time.sleep(s), 3)
