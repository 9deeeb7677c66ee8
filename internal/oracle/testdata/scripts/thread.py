import threading
import shapelib

t = threading.Thread(target=shapelib.total, args=([1, 2], 1))
t.start()
t.join()
