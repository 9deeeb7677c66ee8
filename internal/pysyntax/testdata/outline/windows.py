def f():
    """Doc.

    More.
    """
    return (1,
            2)


class A:
    x = 1
