import keras

Bad = TypeError


def fail(axis):
    keras.Input((3,))
    raise Bad("'int' object is not iterable")


fail(1)
