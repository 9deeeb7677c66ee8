import tinynet
import typing
x = [[3], [[3]]][len(typing.get_type_hints(tinynet.add)) > 0]
tinynet.total(x, (0,))
