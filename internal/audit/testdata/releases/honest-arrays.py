# want: counts, ends, names product
# numpy 2.0.2 1.26.4
import os
import numpy as np


class Loud(np.ndarray):
    def __array_finalize__(self, other):
        print("FINALIZE")

    def __array_ufunc__(self, *args, **named):
        print("UFUNC")
        return 0

    def __repr__(self):
        raise RuntimeError("no repr")


def keep(*args):
    return args[0]


m = np.memmap("big.bin", dtype="u1", mode="w+", shape=(1 << 28,))
m[5] = 7
print(keep(m)[5], os.stat("big.bin").st_blocks < 4096)
print("begin")
loud = keep(np.zeros(3).view(Loud))
keep(loud, np.array([loud, None], dtype=object))
print("end")
keep(np.zeros((5000, 5000)), np.ma.masked_array([1, 2], [0, 1]), np.matrix([[1]]), np.array([(1, 2.0)], dtype="i4,f8"))
keep(np.broadcast_to(1.0, (1 << 20, 1 << 20)), np.float16(1), np.longdouble(2), np.datetime64("2020"), np.array("x"))
out = np.ones((2, 2))
np.add(out, 1, out=out)
print(np.product(out))
