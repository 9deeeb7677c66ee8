# want: counts, ends, names uint8
# numpy 2.0.2 1.26.4
import numpy as np


def scale(img, by):
    out = img.copy()
    for i in range(len(out)):
        out = out * 1
    return out + by


img = np.arange(6, dtype=np.uint8).reshape(2, 3)
print(f"{img.mean():.2f}", np.__version__)
scale(img, 300)
