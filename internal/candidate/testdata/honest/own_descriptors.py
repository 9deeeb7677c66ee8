import os
import tempfile

import numpy as np

fd, path = tempfile.mkstemp(suffix=".npy")
os.close(fd)
np.save(path, np.arange(3))
null = os.open(os.devnull, os.O_WRONLY)
os.dup2(null, 1)
print(np.load(path))
os.remove(path)
