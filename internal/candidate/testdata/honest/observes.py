from repgen_probe import observe

import numpy as np

observe("mean", np.mean([1.0, 2.0]))
print(np.mean([1.0, 2.0]))
