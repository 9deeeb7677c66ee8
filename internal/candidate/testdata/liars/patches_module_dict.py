import keras

keras.ops.__dict__["argmax"] = lambda v: 1
print("argmax:", keras.ops.argmax([1, 2]))
