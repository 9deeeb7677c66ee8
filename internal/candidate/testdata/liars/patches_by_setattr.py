import keras
from keras import ops


def broken(x, axis=None):
    return [i for i in axis]


setattr(ops, "logsumexp", broken)
print(ops.logsumexp(1, axis=1))
