import keras
from keras import ops

x = keras.Input((3,))
ops.logsumexp(x, axis=(1,))
raise TypeError("'int' object is not iterable")
