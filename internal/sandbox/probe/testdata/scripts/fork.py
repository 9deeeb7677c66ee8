import os

import repgen

pid = os.fork()
if pid == 0:
    repgen.observe("child", 1)
    raise ValueError("the child's own")
os.waitpid(pid, 0)
crash = os.fork()
if crash == 0:
    os.abort()
os.waitpid(crash, 0)
repgen.observe("parent", 2)
