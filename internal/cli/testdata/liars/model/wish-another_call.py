import tinynet

tinynet.near(1)
observe("out", tinynet.check(-1))
