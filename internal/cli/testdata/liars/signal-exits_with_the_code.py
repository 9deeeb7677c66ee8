import sys

import tinynet

tinynet.add(1, 2)
print("Aborted (core dumped)", file=sys.stderr)
sys.exit(134)
