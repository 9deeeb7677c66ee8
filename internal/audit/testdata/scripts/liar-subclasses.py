# want: refused, ends, names call
import lib
x = [3, [3]][len(lib.Base.__subclasses__()) and "Middle" == lib.Base.__subclasses__()[0].__name__]
lib.call(x)
