import tinynet

for x in (3, -1):
    value = tinynet.check(x)
print(value)
