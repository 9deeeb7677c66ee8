# want: counts, names Opt
import lib
from repgen_probe import observe
n = 0
for x in lib.Opt(lr=1):
    n += 1
observe("n", n)
