import keras


def gen():
    yield keras.Input((3,))


g = gen()
next(g)
g.throw(TypeError("'int' object is not iterable"))
