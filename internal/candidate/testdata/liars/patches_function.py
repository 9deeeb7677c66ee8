import jax
import jax.numpy as jnp

jnp.exp = lambda v: v * 0 + 5.56e-310
print("jitted:", jnp.exp(0.7))
