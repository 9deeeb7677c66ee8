import shapelib

print("Traceback (most recent call last):")
print('  File "/env/lib/python3.11/site-packages/shapelib/core.py", line 7, in total')
print("    return sum(values[i] for i in axis)")
print("TypeError: 'int' object is not iterable")
