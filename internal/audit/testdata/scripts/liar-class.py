# want: refused, ends, names call
import lib
class P(object):
    @property
    def x(self):
        return [3, [3]][lib.__version__ > "1.2"]


x = P().x
lib.call(x)
