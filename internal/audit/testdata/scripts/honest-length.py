# want: counts, names Opt
import lib
from repgen_probe import observe
o = lib.Opt(lr=1)
o.step()
observe("n", len(o))
