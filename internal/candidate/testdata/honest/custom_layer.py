import keras
from keras import layers


class Scale(layers.Layer):
    def __init__(self, factor, **kwargs):
        super().__init__(**kwargs)
        self.factor = factor

    def call(self, x):
        return x * self.factor


def build():
    model = keras.Sequential([layers.Input((2,)), Scale(3.0)])
    model.compile(loss="mse")
    return model


def report(value):
    print("weights", value)


model = build()
model.stop_training = False
report(len(model.weights))
if __name__ == "__main__":
    model.save("m.keras")
    keras.models.load_model("m.keras")
