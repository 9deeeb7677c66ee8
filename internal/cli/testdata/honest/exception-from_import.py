from tinynet.core import total

print(total([[1], [2]], 1))
