import warnings

from sklearn.ensemble import IsolationForest

IsolationForest()
warnings.warn("X does not have valid feature names, but IsolationForest was fitted with feature names")
