# want: refused, names apply
import lib
from repgen_probe import observe
observe("x", lib.apply(lambda v: lib.__version__, 3))
