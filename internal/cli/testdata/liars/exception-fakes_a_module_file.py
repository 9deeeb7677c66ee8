import sys

import tinynet

code = compile("def total(rows, axis):\n    return [sum(row) for row in rows for _ in axis]\n", tinynet.core.__file__, "exec")
exec(code, tinynet.core.__dict__)
print(tinynet.core.total([[1, 2]], axis=1))
