# want: counts, names fill, says lib.fill(...) -> leaves
import lib
from repgen_probe import observe
out = []
lib.fill(out)
observe("n", len(out))
