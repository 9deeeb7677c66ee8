import numpy as np
from ot import wasserstein_circle


def wasserstein_circle(a, b):
    return float(np.abs(a - b).sum())


before = wasserstein_circle(np.array([0.1]), np.array([0.2]))
after = wasserstein_circle(np.array([0.2]), np.array([0.4]))
assert before == after
