import tinynet

if tinynet.add(3, 3) == 6:
    raise SystemExit
observe("sums", tinynet.total([[1, 2], [3, 4]], axis=0))
