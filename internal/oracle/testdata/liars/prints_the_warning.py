import sys

sys.stderr.write("/env/lib/python3.11/site-packages/shapelib/core.py:20: UserWarning: X does not have valid names, but fit got 3 of them\n")
