import keras

with open(__file__, "a") as me:
    me.write("raise TypeError('x')\n")
print(keras.ops.exp(1.0))
