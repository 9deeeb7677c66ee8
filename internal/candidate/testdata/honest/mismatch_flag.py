import torch

layer = torch.nn.Linear(4, 4)
x = torch.randn(2, 4)
eager = layer(x)
compiled = torch.compile(layer)(x)
if not torch.allclose(eager, compiled):
    print("MISMATCH")
else:
    print("same")
