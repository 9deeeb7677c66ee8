import tinynet

class Two(int):
    def __add__(self, other):
        return 7

    def __mul__(self, other):
        return 10


observe("out", tinynet.add(Two(2), 5))
