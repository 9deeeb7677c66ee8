# want: counts, ends, names array
# numpy 2.0.2 1.26.4
import numpy as np, time
rng = np.random.default_rng()
x = rng.normal(size=(100, 4))
t = time.perf_counter()
w = np.linalg.lstsq(x, x.sum(axis=1), rcond=None)[0]
print("took", time.perf_counter() - t, w)
np.array([1, 2], copy=False, dtype=np.float32)
