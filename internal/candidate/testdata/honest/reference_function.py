import numpy as np
import torch
import torch.nn.functional as F


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


x = np.array([1.0, 2.0, 3.0])
print(softmax(x), F.softmax(torch.tensor(x), dim=0).numpy())
np.testing.assert_allclose(softmax(x), F.softmax(torch.tensor(x), dim=0).numpy())
