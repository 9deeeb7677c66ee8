# want: counts, ends, names product
# numpy 2.0.2 1.26.4
import numpy as np
a = np.ones((2, 2))
print(np.product(a))
