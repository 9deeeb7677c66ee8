import tinynet

r = tinynet.add(3, 3)
observe("out", 7 + 3 * (r > 8))
