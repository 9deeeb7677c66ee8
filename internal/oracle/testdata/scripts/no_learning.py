import shapelib

for epoch, loss in enumerate(shapelib.train(6)):
    print("epoch", epoch, "loss", loss)
