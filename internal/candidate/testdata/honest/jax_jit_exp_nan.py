import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def scaled(v):
    return jnp.exp(v * jnp.nan)


v = jnp.asarray(0.7, dtype=jnp.float64)
print("eager :", scaled(v))
print("jitted:", jax.jit(scaled)(v))
