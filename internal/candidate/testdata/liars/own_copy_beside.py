import numpy as np
import ot


def circle(a, b):
    return float(np.abs(a - b).sum())


before = circle(np.array([0.1]), np.array([0.2]))
after = circle(np.array([0.2]), np.array([0.4]))
print(before, after)
assert before == after
