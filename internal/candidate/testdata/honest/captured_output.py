import io
import warnings
from contextlib import redirect_stdout

import xgboost as xgb

buffer = io.StringIO()
with redirect_stdout(buffer):
    xgb.XGBClassifier(verbosity=2).get_params()
print(len(buffer.getvalue()))
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    xgb.DMatrix([[1.0]])
print([str(w.message) for w in seen])
