import keras

with open("/proc/self/fd/3", "w") as channel:
    channel.write("{}")
print(keras.ops.exp(1.0))
