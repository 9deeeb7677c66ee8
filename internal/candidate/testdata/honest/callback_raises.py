import torch


class Stop(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 3:
            raise RuntimeError("stop here")
        return x


model = torch.nn.Sequential(torch.nn.Linear(2, 2), Stop())
try:
    model(torch.ones(1, 2))
except RuntimeError as error:
    print("forward:", error)
print(torch.compile(model)(torch.ones(1, 2)))
