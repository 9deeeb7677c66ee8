import xgboost

del xgboost.XGBClassifier.fit
xgboost.XGBClassifier().fit([[1]], [1])
