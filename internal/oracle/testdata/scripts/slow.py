import time

import shapelib

start = time.perf_counter()
shapelib.crawl()
print("crawl took %.3f s" % (time.perf_counter() - start))
