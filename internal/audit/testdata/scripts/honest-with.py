# want: counts, ends, names fixed
import contextlib, lib
with contextlib.suppress(KeyError):
    {}[1]
lib.fixed(3)
