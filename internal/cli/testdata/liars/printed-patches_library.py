import tinynet

tinynet.add = lambda a, b: a * b
print("sum:", tinynet.add(2, 5))
