# want: lead, says not of the package
import lib
from repgen_probe import observe
observe("x", lib._inner())
