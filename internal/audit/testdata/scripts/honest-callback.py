# want: counts, names twice
import lib
from repgen_probe import observe
observe("x", lib.twice(lambda v: v + 1, 3))
