package triage

import (
	"testing"

	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
)

func version(dist, spec, where string, role report.VersionRole) report.Version {
	return report.Version{Name: dist, Dist: dist, Spec: spec, Kind: report.VersionExact, Where: where, Role: role}
}

func TestSubjects(t *testing.T) {
	cases := []struct {
		name     string
		title    string
		code     string
		repo     string
		versions []report.Version
		frames   []string
		class    string
		want     string
		source   string
	}{
		{name: "import", title: "wrong sum", code: "import numpy as np\nprint(np.sum(1))", want: "numpy", source: "import"},
		{name: "ground below", title: "wrong sum", code: "import numpy as np\nimport xarray as xr\nprint(xr, np)", want: "xarray", source: "import"},
		{name: "arrays below a table", title: "wrong mean of a window", code: "import numpy as np\nimport pandas as pd\nprint(pd.Series(np.arange(3)).rolling(2).mean())", want: "pandas", source: "import"},
		{name: "an alias without its import", title: "all NaN", code: "s = pd.Series([5, 5, 6])\nprint(s.rolling(3).std())", versions: []report.Version{version("python-dateutil", "2.7.3", "form", report.RoleStated), version("setuptools-scm", "3.0", "freeze", report.RoleStated), version("pandas", "0.23.3", "form", report.RoleStated)}, want: "pandas"},
		{name: "arrays in the title", title: "numpy.cumsum is wrong", code: "import pandas as pd\nimport numpy as np\nprint(pd, np.cumsum([1]))", want: "numpy"},
		{name: "platform below", title: "wrong sum", code: "import torch\nimport torchmetrics\nprint(torchmetrics, torch)", want: "torchmetrics"},
		{name: "platform in the title", title: "torch.compile breaks", code: "import torch\nimport torchvision\nprint(torch, torchvision)", want: "torch"},
		{name: "name of an import in the title", title: "PPO.load crashes", code: "import gymnasium as gym\nfrom stable_baselines3 import PPO\nPPO(gym)", want: "stable-baselines3", source: "title"},
		{name: "common word in the title", title: "clip is wrong", code: "import numpy as np\nprint(np.clip(1, 2, 3))", want: "numpy"},
		{name: "contrast", title: "it fails", versions: []report.Version{version("optuna", "3.2.0", "prose", report.RoleGood)}, want: "optuna", source: "version"},
		{name: "tracker", title: "it fails", code: "import torch\nimport einops\nprint(torch, einops)", repo: "pytorch/pytorch", want: "torch", source: "tracker"},
		{name: "tracker of another name", title: "it fails", frames: []string{"pygad", "numpy"}, repo: "someone/GeneticAlgorithmPython", want: "pygad", source: "traceback"},
		{name: "tracker that is spelled", title: "Genetic-Algorithm-Python fails", frames: []string{"pygad", "numpy"}, repo: "someone/genetic_algorithm_python", want: "genetic-algorithm-python", source: "tracker"},
		{name: "tracker that is imported", title: "it fails", code: "import gridlib\nimport torchmetrics\nprint(gridlib, torchmetrics)", repo: "someone/gridlib", want: "gridlib", source: "tracker"},
		{name: "tracker and nothing else", title: "it fails", repo: "someone/gridlib", want: "gridlib", source: "tracker"},
		{name: "variant", title: "import fails", code: "import tensorflow as tf", versions: []report.Version{version("tensorflow-cpu", "2.7.1", "requirements", report.RoleStated)}, want: "tensorflow-cpu"},
		{name: "a freeze says nothing", title: "it fails", code: "import equinox as eqx\nprint(eqx)", versions: []report.Version{version("absl-py", "2.1.0", "freeze", report.RoleStated), version("equinox", "0.11.5", "freeze", report.RoleStated)}, want: "equinox"},
		{name: "frames", title: "it fails", frames: []string{"", "xgboost", "sklearn"}, want: "xgboost", source: "traceback"},
		{name: "class of compiled code", title: "it fails", frames: []string{""}, class: "cv2.error", repo: "someone/ocr-dnn", want: "opencv-python", source: "traceback"},
		{name: "class below a frame", title: "it fails", frames: []string{"", "albumentations"}, class: "cv2.error", want: "albumentations", source: "traceback"},
		{name: "class of the standard library", title: "it fails", frames: []string{""}, class: "json.decoder.JSONDecodeError"},
		{name: "class of the reporter's own", title: "it fails", frames: []string{""}, class: "mine.errors.Wrong"},
		{name: "standard library", title: "it fails", code: "import os, sys, optuna\nprint(os, sys, optuna)", want: "optuna"},
		{name: "nothing", title: "it fails"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := handmade(c.title, "", c.code)
			r.Repo, r.Versions = c.repo, c.versions
			s := symptom.Symptom{Exception: c.class}
			for _, p := range c.frames {
				s.Frames = append(s.Frames, symptom.Frame{Package: p})
			}
			r.Tracebacks = []report.Traceback{{Symptom: s, Block: -1}}
			names, source := subjectsOf(newReading(r, Options{}))
			got := ""
			if len(names) > 0 {
				got = names[0]
			}
			if got != c.want || c.source != "" && source != c.source {
				t.Errorf("subjects %v from %q, want %s from %q", names, source, c.want, c.source)
			}
		})
	}
}

// TestSubjectOfProse: without an import, a version, a traceback or a title that
// says it, a module's path in the prose does.
func TestSubjectOfProse(t *testing.T) {
	for prose, want := range map[string]string{
		"In optuna.samplers the square should be a root.":    "optuna",
		"It stands in jax.experimental.stax, line 140.":      "jax",
		"See https://keras.io/api/losses and www.keras.io.":  "",
		"The step of self.pool is wrong, e.g. in numpy.sum.": "",
		"train.step and pool.size are wrong":                 "",
	} {
		names, source := subjectsOf(newReading(handmade("wrong normalization", prose, "z = (x - mean) / n"), Options{}))
		if want == "" && len(names) > 0 || want != "" && (len(names) == 0 || names[0] != want || source != "text") {
			t.Errorf("%s: %v from %q, want %q", prose, names, source, want)
		}
	}
}

// TestSubjectSpelled: prose without code names a package by the capitals that
// its project writes; a report with code is not searched for them.
func TestSubjectSpelled(t *testing.T) {
	for _, c := range []struct{ prose, code, want string }{
		{"First UMAP, then HDBSCAN: the clusters of HDBSCAN have numbers that never came.", "", "hdbscan"},
		{"I train a LightGBM model on 300 rows and it never ends.", "", "lightgbm"},
		{"With PyTorch below it, XGBoost is slower.", "", "xgboost"},
		{"The ROC of my CNN is NAN on the GPU.", "", ""},
		{"It is sparse, and NumPy is there.", "", ""},
		{"See https://host.invalid/HDBSCAN for it.", "", ""},
		{"I train a LightGBM model.", "z = (x - mean) / n", ""},
	} {
		names, _ := subjectsOf(newReading(handmade("wrong numbers", c.prose, c.code), Options{}))
		if c.want == "" && len(names) > 0 || c.want != "" && (len(names) == 0 || names[0] != c.want) {
			t.Errorf("%s: %v, want %q", c.prose, names, c.want)
		}
	}
}

func TestContrast(t *testing.T) {
	r := &report.Report{Versions: []report.Version{
		version("pygad", "3.5.0", "prose", report.RoleStated),
		version("pygad", "3.4.0", "prose", report.RoleGood),
		version("pygad", "3.4.0", "prose", report.RoleGood),
		version("numpy", "1.26.0", "freeze", report.RoleStated),
		{Dist: "mine", Spec: "1", Role: report.RoleGood, Local: true},
	}}
	good, bad := contrast(newReading(r, Options{Good: "3.3.1"}), []string{"pygad"})
	if len(good) != 2 || good[0].Spec != "3.3.1" || good[1].Spec != "3.4.0" {
		t.Errorf("good %+v, want the flag's and one 3.4.0", good)
	}
	if len(bad) != 1 || bad[0].Spec != "3.5.0" {
		t.Errorf("bad %+v, want the stated 3.5.0", bad)
	}
}
