import tinynet

print(-1)
