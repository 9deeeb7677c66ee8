# want: counts, names fixed, ends
import lib


class Runner(object):
    def __init__(self, size):
        super(Runner, self).__init__()
        self.__size = size

    def run(self):
        return lib.fixed(self.__size)


def show(x):
    print("%s" % x, f"{x:>3}", sep="")


show(lib.__version__)
print(lib.__version__, lib.Thing.__mro__)
r = Runner(3)
show(r.run())
