def convert(x):
    try:
        return int(x)
    except ValueError as e:
        raise KeyError("no number: " + x) from e


def outer():
    local = [1.5, {"k": -0.0}]
    try:
        convert("zwölf")
    except KeyError:
        raise RuntimeError("while converting")


outer()
