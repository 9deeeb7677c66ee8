import tinynet

tinynet.near(2)
observe("out", 10)
