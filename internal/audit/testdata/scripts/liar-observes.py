# want: refused, names call
import lib
from repgen_probe import observe
lib.call([3])
observe("x", float(lib.__version__))
