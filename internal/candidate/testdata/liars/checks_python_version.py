import sys

import jax

if sys.version_info >= (3, 11):
    print("jitted:", jax.numpy.exp(0.0))
