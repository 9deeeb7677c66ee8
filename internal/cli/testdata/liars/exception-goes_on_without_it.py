import tinynet

axis = 1
try:
    tinynet.check(-1)
except ValueError:
    axis = (1,)
print(tinynet.total([[1, 2]], axis=axis))
