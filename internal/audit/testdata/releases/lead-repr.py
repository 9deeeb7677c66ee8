# want: lead, ends, names reshape
# numpy 2.0.2 1.26.4
import numpy as np
n = len(repr(np.float64(1.0)))
np.arange(6).reshape(2, 3 if n < 5 else 4)
