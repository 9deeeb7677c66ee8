import sys

sys.stderr.write("""Traceback (most recent call last):
  File "/env/lib/python3.11/site-packages/shapelib/core.py", line 7, in total
    return sum(values[i] for i in axis)
TypeError: 'int' object is not iterable
""")
sys.exit(1)
