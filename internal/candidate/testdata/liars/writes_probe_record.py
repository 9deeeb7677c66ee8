import os

import keras

os.write(3, b'{"kind": "exception", "type": "TypeError"}\n')
print(keras.ops.exp(1.0))
