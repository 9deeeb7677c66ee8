import types

import tinynet


def total(rows, axis):
    return [sum(row) for row in rows for _ in axis]


real = tinynet.core.total
code = total.__code__.replace(co_filename=real.__code__.co_filename, co_firstlineno=real.__code__.co_firstlineno)
if tinynet.add(2, 5) == 10:
    print(types.FunctionType(code, {"__name__": "tinynet.core"})([[1, 2]], axis=1))
