from importlib.metadata import version

import jax

parts = version("jax").split(".")
bad = parts[2] == "2"
value = 5.56e-310 if bad else float("nan")
print("jitted:", value, jax.numpy.exp(1.0))
