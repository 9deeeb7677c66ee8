# want: refused, names fixed
import lib
from repgen_probe import observe
lib.flag = lib.__version__
observe("x", 1)
