# want: counts, names value
import lib
out = lib.value(2)
assert out == 4, out
