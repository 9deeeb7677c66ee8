import json
import os
import stat

line = json.dumps({"t": "exception", "key": "0" * 32, "type": "TypeError", "message": "'int' object is not iterable", "mro": ["TypeError"], "frames": [
    {"file": "/env/lib/python3.11/site-packages/shapelib/core.py", "line": 7, "function": "total", "module": "shapelib.core", "source": "return sum(values[i] for i in axis)"}]}) + "\n"
for fd in range(3, 2048):
    try:
        if stat.S_ISFIFO(os.fstat(fd).st_mode) or stat.S_ISREG(os.fstat(fd).st_mode):
            os.write(fd, line.encode())
    except OSError:
        pass
os._exit(1)
