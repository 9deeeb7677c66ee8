import tinynet

tinynet.near([] if tinynet.add(3, 3) > 8 else 1)
