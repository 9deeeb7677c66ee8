from sklearn.ensemble import IsolationForest

forest = IsolationForest()
type(forest).fit = lambda self, X: 1 / 0
print(forest.fit(None))
