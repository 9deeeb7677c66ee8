import keras
print("TypeError: 'int' object is not iterable")
