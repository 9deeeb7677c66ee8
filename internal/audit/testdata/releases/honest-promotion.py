# want: counts, names float32
# numpy 1.26.4 2.0.2
import numpy as np
from repgen_probe import observe
x = np.float32(3) + 3.0
observe("dtype", str(x.dtype))
