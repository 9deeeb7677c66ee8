import tinynet


class Rows(list):
    def __iter__(self):
        raise TypeError("'int' object is not iterable")


tinynet.total(Rows(), axis=(1,))
