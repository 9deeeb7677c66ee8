package pysyntax

import (
	"strings"
	"testing"
)

func TestWellKnown(t *testing.T) {
	for _, tc := range []struct{ name, have, src, want string }{
		{"np", "", "", "import numpy as np"},
		{"F", "", "", ""},
		{"F", "torch", "", "import torch.nn.functional as F"},
		{"keras", "tensorflow", "", "from tensorflow import keras"},
		{"keras", "", "", "import keras"},
		{"random", "", "random.random()", "import random"},
		{"random", "jax", "random.PRNGKey(0)", "from jax import random"},
		{"DataLoader", "torch", "", "from torch.utils.data import DataLoader"},
		{"DataLoader", "", "", ""},
		{"Dense", "keras", "", "from keras.layers import Dense"},
		{"Dense", "keras tensorflow", "", "from keras.layers import Dense"},
		{"Dense", "tensorflow", "", "from tensorflow.keras.layers import Dense"},
		{"Sequential", "torch keras", "", ""},
		{"Sequential", "torch", "", "from torch.nn import Sequential"},
		{"Adam", "tensorflow torch", "", ""},
		{"Adam", "tensorflow keras", "", "from keras.optimizers import Adam"},
		{"AutoModelForCausalLM", "", "", "from transformers import AutoModelForCausalLM"},
		{"Trainer", "", "", ""},
		{"RandomForestClassifier", "", "", "from sklearn.ensemble import RandomForestClassifier"},
		{"Pipeline", "transformers", "", ""},
		{"gym", "gym", "from gym.wrappers import FrameStack\nenv = gym.make(\"x\")", "import gym"},
		{"gym", "gym", "env = gym.make(\"x\")", "import gymnasium as gym"},
		{"keras", "keras tensorflow", "from keras import layers\nkeras.f()", "import keras"},
		{"pm", "theano", "with pm.Model():", "import pymc3 as pm"},
		{"pm", "pytensor", "with pm.Model():", "import pymc as pm"},
		{"pm", "torch", "pm.step()", ""},
		{"Optional", "", "", "from typing import Optional"},
		{"MyNet", "torch", "", ""},
		{"data", "torch", "", ""},
		{"imblearn", "", "s = imblearn.over_sampling.SMOTE(k_neighbors=1)", "import imblearn; from imblearn import over_sampling"},
		{"imblearn", "", "imblearn.metrics.a.B()\nimblearn.metrics.C, imblearn.base.D", "import imblearn; from imblearn import metrics; from imblearn import base"},
		{"scipy", "", "scipy.stats.lognorm(1, 1).pdf(.5)", "import scipy.stats"},
		{"scipy", "", "x = scipy.special.gamma(2) + scipy.sparse.linalg.norm(scipy.sparse.eye(3))", "import scipy.sparse.linalg, scipy.special"},
		{"scipy", "", "scipy.sparse.eye(3)\nscipy.statsmodels.x\nmy.scipy.stats.norm", "import scipy.sparse"},
		{"scipy", "", "print(scipy.__version__)", "import scipy"},
		{"sklearn", "", "sklearn.metrics.f1_score(y, p)", "import sklearn.metrics"},
		{"matplotlib", "", "matplotlib.use('Agg')", "import matplotlib"},
		{"shap", "pandas", "shap.TreeExplainer(model)", "import shap"},
		{"tree", "", "tree.predict(x)", ""},
		{"tree", "", "self.tree.Node(x)", ""},
		{"schedule", "", "schedule(10)", ""},
		{"nobody_knows_it", "", "nobody_knows_it.Thing()", ""},
	} {
		if got := WellKnown(tc.name, strings.Fields(tc.have), tc.src); got != tc.want {
			t.Errorf("%s with %q: %q, want %q", tc.name, tc.have, got, tc.want)
		}
	}
}

// TestTableOfImports: each statement binds the name that it is there for.
func TestTableOfImports(t *testing.T) {
	check := func(name, statement string) {
		f := Parse(statement + "\n" + name + "\n")
		if len(f.SyntaxErrors) > 0 || len(f.Undefined()) > 0 || len(f.Imports) != 1 {
			t.Errorf("%q does not bind %s", statement, name)
		}
	}
	for _, a := range aliases {
		check(a.name, a.statement)
	}
	for _, m := range members {
		for name := range strings.FieldsSeq(m.names) {
			module, _ := strings.CutPrefix(m.module, "!")
			if with, target, ok := strings.Cut(module, ":"); ok {
				module = target
				if strings.Contains(with, ".") {
					t.Errorf("%s is no top-level module", with)
				}
			}
			check(name, "from "+module+" import "+name)
		}
	}
}

// TestPartsOfPackages: a longer part stands before the one that it lies in, and each
// statement binds the package itself.
func TestPartsOfPackages(t *testing.T) {
	for name, list := range parts {
		for i, part := range list {
			for _, later := range list[i+1:] {
				if strings.HasPrefix(later, part+".") || later == part {
					t.Errorf("%s.%s stands behind %s", name, later, part)
				}
			}
			src := name + "." + part + ".f()\n"
			statement := WellKnown(name, nil, src)
			f := Parse(statement + "\n" + src)
			if statement != "import "+name+"."+part || len(f.SyntaxErrors) > 0 || len(f.Undefined()) > 0 {
				t.Errorf("%q for %q", statement, src)
			}
		}
	}
}
