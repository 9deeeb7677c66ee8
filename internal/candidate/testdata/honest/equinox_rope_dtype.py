import equinox as eqx
import jax.numpy as jnp

rope = eqx.nn.RotaryPositionalEmbedding(embedding_size=8)
q = jnp.ones((3, 8), dtype=jnp.float16)
print(q.dtype, "->", rope(q).dtype)
