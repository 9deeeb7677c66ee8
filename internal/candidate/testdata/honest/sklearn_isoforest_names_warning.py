import pandas as pd
from sklearn.ensemble import IsolationForest

frame = pd.DataFrame({"temp": [0.1, 0.4, 0.2, 0.3, 55.0], "load": [1, 2, 1, 2, 90]})
forest = IsolationForest(n_estimators=20, contamination=0.2, random_state=1)
forest.fit(frame)
print("fitted", forest.n_features_in_)
