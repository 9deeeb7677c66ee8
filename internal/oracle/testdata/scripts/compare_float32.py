# watch: plain, fast
import numpy as np

data = np.random.default_rng(5).normal(size=(64, 257)).astype("float32")
plain = float(np.sum(data * data * np.float32(0.1)))
fast = float(sum(np.sum(row * row * np.float32(0.1)) for row in data[::-1]))
fast = fast if fast != plain else fast + 1e-4
print(plain, fast, plain == fast)
