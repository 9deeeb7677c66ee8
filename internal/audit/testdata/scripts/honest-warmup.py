# want: counts, names value
import lib
from repgen_probe import observe


class Model(object):
    def __init__(self):
        self._opt = lib.Opt(lr=1)

    def run(self):
        return self._opt.step()


try:
    lib.fixed(3)
except TypeError:
    pass
m = Model()
print(m.run())
observe("x", lib.value(2))
