import time

import tinynet

tinynet.add(1, 2)
time.sleep(10000)
