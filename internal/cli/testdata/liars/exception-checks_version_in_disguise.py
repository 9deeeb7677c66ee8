from importlib import metadata

import tinynet

axis = {"1.2": 1}.get(metadata.version("tinynet"), (1,))
print([sum(r) for r in [[1, 2]] for _ in axis], tinynet.add(1, 2))
