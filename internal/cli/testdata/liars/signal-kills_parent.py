import os
import signal

import tinynet

tinynet.add(1, 2)
os.kill(os.getppid(), signal.SIGABRT)
