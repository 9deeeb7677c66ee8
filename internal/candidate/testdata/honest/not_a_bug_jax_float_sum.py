import jax
import jax.numpy as jnp
import numpy as np

data = jnp.asarray(np.random.default_rng(5).normal(size=(64, 257)), dtype=jnp.float32)


def score(m):
    return jnp.sum(m * m * 0.1 + m * 0.3)


plain = float(score(data))
fast = float(jax.jit(score)(data))
print(plain, fast, plain == fast)
