package cli

import (
	"os"
	"testing"
)

// framesReport tells of a real warning of scikit-learn 1.2.1, without a script.
const framesReport = `# IsolationForest warns about feature names when contamination is a number

Fitting IsolationForest on a pandas frame with contamination=0.2 warns, although I fit on the frame itself. With contamination="auto" there is no warning.

` + "```" + `
sklearn/base.py:420: UserWarning: X does not have valid feature names, but IsolationForest was fitted with feature names
  warnings.warn(
` + "```" + `

scikit-learn 1.2.1, pandas 1.5.3, numpy 1.23.5, Python 3.11
`

const framesScript = `# trigger: contamination=0.2
import pandas as pd
from sklearn.ensemble import IsolationForest

contamination = "auto"
if not control:
    contamination = 0.2
frame = pd.DataFrame({"temp": [0.1, 0.4, 0.2, 0.3, 55.0], "load": [1, 2, 1, 2, 90]})
forest = IsolationForest(n_estimators=20, contamination=contamination, random_state=1)
forest.fit(frame)
observe("features", forest.n_features_in_)
`

// Real packages of the real index, with the real checks of names and lint, and
// the code of the release that is installed.
func TestAgentOnRealPackages(t *testing.T) {
	m := newModelRig(t, framesScript)
	delete(m.env, "UV_DEFAULT_INDEX")
	for _, k := range []string{"UV_DEFAULT_INDEX", "PIP_INDEX_URL", "SSL_CERT_FILE", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"} {
		if v, ok := os.LookupEnv(k); ok {
			m.env[k] = v
		}
	}
	m.file("report.md", framesReport)
	e := m.run("reproduce", "--json", "--llm", m.llm("well"), "--no-explain", "--out", "run", m.report)
	e.want(t, 0, positive...)
	t.Logf("%s %s in %.0f s: %v", e.result.Headline, e.result.Grade, e.result.Cost.WallSeconds, e.result.Reasons)
	if e.result.Model == nil || !e.result.Model.Wrote || e.result.Grade > "C" {
		t.Errorf("the model's part: %+v", e.result.Model)
	}
}
