import tinynet

try:
    print(tinynet.check(-1))
except ValueError:
    print(-1)
