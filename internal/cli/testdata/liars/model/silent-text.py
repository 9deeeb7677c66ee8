import tinynet

s = str(tinynet.add(2, 5))
observe("out", len(s) * 3 + 4)
