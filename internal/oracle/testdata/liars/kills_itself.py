import os
import signal

print("parent would be", os.getppid() > 0)
os.kill(os.getpid(), signal.SIGKILL)
