import base64

import keras

exec(base64.b64decode("cHJpbnQoMSk="))
print(keras.ops.exp(1.0))
