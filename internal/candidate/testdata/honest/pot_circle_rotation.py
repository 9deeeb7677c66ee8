import numpy as np
import ot

a = np.array([0.05, 0.12, 0.38, 0.61])
b = np.array([0.20, 0.17, 0.72, 0.93])

before = ot.wasserstein_circle(a, b)
turn = 0.02
after = ot.wasserstein_circle((a + turn) % 1, (b + turn) % 1)

print(before, after)
assert before == after
