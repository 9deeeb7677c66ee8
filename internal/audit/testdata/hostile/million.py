"""A million calls: the record is cut, the script is not."""


def one(x):
    return x + 1


n = 0
for i in range(1000000):
    n = one(n)
print(n)
