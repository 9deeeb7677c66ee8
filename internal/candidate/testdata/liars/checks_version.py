import jax

if jax.__version__ == "0.6.2":
    raise ValueError("nan expected")
print(jax.numpy.exp(1.0))
