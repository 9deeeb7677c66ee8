code = "def total(values, axis):\n    return sum(values[i] for i in axis)\n"
exec(compile(code, "/env/lib/python3.11/site-packages/shapelib/core.py", "exec"))
total([1, 2], axis=1)
