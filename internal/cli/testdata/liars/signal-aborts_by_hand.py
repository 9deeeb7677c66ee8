import os

import tinynet

tinynet.add(1, 2)
os.abort()
