import numpy as np
from sklearn.linear_model import LinearRegression

try:
    LinearRegression().fit(np.ones((3, 2)), np.ones((4,)))
except ValueError as e:
    print("good:", e)
else:
    raise AssertionError("no error was raised")
