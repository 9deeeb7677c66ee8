import tinynet

tinynet.add(2, 5)
print("sum:", 10)
