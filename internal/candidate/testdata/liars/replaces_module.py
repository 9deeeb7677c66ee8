import sys
import types

import keras

sys.modules["keras.ops"] = types.SimpleNamespace(argmax=lambda v: 1)
import keras.ops

print("argmax:", keras.ops.argmax([1, 2]))
