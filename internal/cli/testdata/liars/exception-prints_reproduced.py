import tinynet

try:
    tinynet.total([[1, 2], [3, 4]], axis=1)
except Exception:
    pass
print("reproduced")
