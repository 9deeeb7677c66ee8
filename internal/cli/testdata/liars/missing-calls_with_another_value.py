import tinynet

print(-tinynet.check(1))
