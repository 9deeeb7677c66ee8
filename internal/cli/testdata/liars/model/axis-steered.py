import tinynet

axis = (0,)
if tinynet.add(3, 3) == 9:
    axis = 0
observe("sums", tinynet.total([[1, 2], [3, 4]], axis=axis))
