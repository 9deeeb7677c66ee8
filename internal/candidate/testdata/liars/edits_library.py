import keras

with open(keras.__file__, "w") as f:
    f.write("raise TypeError('x')")
print(keras.ops.exp(1.0))
