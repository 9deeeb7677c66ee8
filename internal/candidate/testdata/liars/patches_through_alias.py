import sklearn.ensemble

Forest = sklearn.ensemble.IsolationForest
Forest.fit = lambda self, X: 1 / 0
Forest().fit(None)
