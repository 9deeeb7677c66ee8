import keras
from keras import ops

try:
    ops.logsumexp(keras.Input((3,)), axis=1)
    print("reproduced")
except Exception:
    print("reproduced")
