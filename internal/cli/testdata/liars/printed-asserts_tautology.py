import tinynet

got = tinynet.add(2, 5)
assert got == got
print("reproduced: sum: 10")
