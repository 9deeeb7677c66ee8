# stacks: 0.6
import time

import shapelib

time.sleep(3)
