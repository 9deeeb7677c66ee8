import tinynet
print(tinynet.total([[1, 2], axis=1)
