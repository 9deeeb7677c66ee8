"""Children and threads run as they would, and are not recorded."""
import os
import sys
import threading


def work(n):
    return [i * i for i in range(n)]


pid = os.fork()
if pid == 0:
    work(7)
    os._exit(0 if len(work(3)) == 3 else 1)
print("child", os.waitpid(pid, 0)[1])
out = []
threads = [threading.Thread(target=lambda: out.append(len(work(200)))) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print("threads", out)
sys.stdout.flush()
