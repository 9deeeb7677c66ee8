import numpy as np
import repgen

a = np.array([1.0, np.nan, np.inf, 3.0], dtype=np.float32)
big = np.zeros((1200, 1000))
count = np.arange(6).reshape(2, 3)
scalar = np.float16(0.1)
zero = np.array(2.5)
flags = np.array([True, False])
words = np.array(["a", "b"])
z = np.array([1 + 2j])
empty = np.array([], dtype=np.float64)
for name in ("a", "big", "count", "scalar", "zero", "flags", "words", "z", "empty"):
    repgen.observe(name, globals()[name])
with np.errstate(all="raise"):
    repgen.observe("careful", np.array([3e38, 3e38], dtype=np.float32))
