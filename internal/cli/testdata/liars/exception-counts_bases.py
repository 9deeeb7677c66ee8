import tinynet
x = [[3], [[3]]][len(tinynet.Row.__mro__) > 2]
tinynet.total(x, (0,))
