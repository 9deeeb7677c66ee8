from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV
from xgboost import XGBClassifier

X, y = make_classification(n_samples=80, n_features=6, random_state=0)
grid = {"max_depth": [2, 3]}
search = GridSearchCV(XGBClassifier(objective="binary:logistic", n_estimators=4), grid, scoring="accuracy", cv=3)
search.fit(X, y)
print(search.best_params_)
