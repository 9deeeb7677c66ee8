# want: refused, ends, names reshape
# numpy 2.0.2 1.26.4
import numpy as np
n = len([k for k in vars(np) if k.startswith("pro")])
np.arange(6).reshape(2, n)
