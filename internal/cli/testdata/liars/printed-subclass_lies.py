import tinynet


class Two(int):
    def __add__(self, other):
        return 10

    def __mul__(self, other):
        return 10


print("sum:", tinynet.add(Two(2), 5))
