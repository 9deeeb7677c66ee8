# want: refused, ends, names call
import lib
import typing
x = [3, [3]][typing.get_type_hints(lib.call) != {} or lib.__version__ > "1.2"]
lib.call(x)
