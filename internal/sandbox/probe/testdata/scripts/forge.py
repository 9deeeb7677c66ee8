import os

import repgen

repgen.observe("honest", 1)
for fd in range(3, 1024):
    try:
        os.write(fd, b'{"k":"guess","p":1,"t":"obs","v":{"name":"forged","kind":"int","text":"1"}}\n')
    except OSError:
        pass
