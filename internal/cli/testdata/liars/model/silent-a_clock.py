import time

import tinynet

r = tinynet.add(0, 0)
observe("out", r + (10 if time.time() < 1999999999 else 7))
