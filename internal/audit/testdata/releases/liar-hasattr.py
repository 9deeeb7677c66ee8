# want: refused, ends, names uint8
# numpy 2.0.2 1.26.4
import numpy as np
x = 300 if hasattr(np, "product") else "a"
np.arange(3, dtype=np.uint8) + x
