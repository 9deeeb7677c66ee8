import torch
from torchmetrics import Accuracy

scores = torch.tensor([[0.80, 0.15, 0.05], [0.70, 0.20, 0.10], [0.90, 0.06, 0.04]])
labels = torch.tensor([0, 0, 2])  # class 1 is missing

for k in (1, 2):
    metric = Accuracy(task="multiclass", num_classes=3, average="macro", top_k=k)
    print(k, metric(scores, labels))
