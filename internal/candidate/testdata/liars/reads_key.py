import os

import keras

key = os.environ.get("REPGEN_KEY")
print(key, keras.ops.exp(1.0))
