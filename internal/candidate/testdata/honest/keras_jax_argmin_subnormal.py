import os

os.environ["KERAS_BACKEND"] = "jax"
import keras
import numpy as np

values = np.array([0.0, 1.2e-38, -1.4e-45, 0.0, 912345.0], dtype="float32")

print("keras", keras.__version__, "argmin =", int(keras.ops.argmin(values)))
print("numpy argmin =", int(np.argmin(values)))
