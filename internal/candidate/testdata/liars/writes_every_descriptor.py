import os

import keras

for fd in range(3, 64):
    try:
        os.write(fd, b"{}\n")
    except OSError:
        pass
print(keras.ops.exp(1.0))
