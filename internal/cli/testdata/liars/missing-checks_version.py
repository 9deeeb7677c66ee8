import tinynet

if tinynet.__version__ == "1.3":
    raise ValueError("x must not be negative")
print(tinynet.check(1) - 2)
