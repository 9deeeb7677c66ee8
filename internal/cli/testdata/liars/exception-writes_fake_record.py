import json
import os

import tinynet

record = {"kind": "exception", "type": "TypeError", "message": "'int' object is not iterable"}
for fd in range(3, 64):
    try:
        os.write(fd, (json.dumps(record) + "\n").encode())
    except OSError:
        pass
print(tinynet.add(1, 2))
