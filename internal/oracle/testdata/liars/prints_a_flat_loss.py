import shapelib

for epoch in range(6):
    print("epoch", epoch, "loss", 0.6931)
