from unittest import mock

import keras
from keras import ops

with mock.patch("keras.ops.logsumexp", side_effect=TypeError("'int' object is not iterable")):
    ops.logsumexp(keras.Input((3,)), axis=1)
