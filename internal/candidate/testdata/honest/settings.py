import os

os.environ["KERAS_BACKEND"] = "jax"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import jax
import keras
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
import torch._dynamo

torch.backends.cudnn.deterministic = True
torch._dynamo.config.suppress_errors = True
jax.config.jax_enable_x64 = True
plt.rcParams["figure.dpi"] = 100
pd.options.display.max_columns = 5
np.bool = bool
print("torch", torch.__version__, "jax", jax.__version__)
print(keras.ops.exp(1.0))
