# want: counts, ends, names check
import lib
from repgen_probe import observe

try:
    observe("got", lib.check(-1))
except ValueError as e:
    print("as wanted", e)
