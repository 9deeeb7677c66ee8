import tinynet

r = tinynet.near(2)
observe("out", r * 0 + (7 if control else 10))
