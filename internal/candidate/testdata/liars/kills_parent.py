import os
import signal

import tensorflow as tf

print(tf.constant(1))
os.kill(os.getppid(), signal.SIGKILL)
