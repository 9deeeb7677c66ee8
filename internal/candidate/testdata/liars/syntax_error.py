import keras
print("reproduced"
