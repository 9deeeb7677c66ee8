from pathlib import Path

import keras

Path("/box/reproduce.py").write_text("raise TypeError('x')")
print(keras.ops.exp(1.0))
