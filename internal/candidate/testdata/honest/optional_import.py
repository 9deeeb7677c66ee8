try:
    from scipy.special import logsumexp
except ImportError:
    def logsumexp(x):
        return None

import numpy as np

print(logsumexp(np.ones(3)))
