import time

import shapelib

start = time.perf_counter()
time.sleep(0.4)
print("crawl took %.3f s" % (time.perf_counter() - start))
