import tinynet

print(tinynet.total([[1, 2]], axis=(1,)))
print("TypeError: 'int' object is not iterable")
