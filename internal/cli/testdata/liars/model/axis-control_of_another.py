import tinynet

x = 0 if control else 7
observe("sums", tinynet.total([[1, 2], [3, 4]], axis=(0,)))
tinynet.total([x], axis=(0,))
