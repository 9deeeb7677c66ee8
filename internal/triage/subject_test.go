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
		want     string
		source   string
	}{
		{name: "import", title: "wrong sum", code: "import numpy as np\nprint(np.sum(1))", want: "numpy", source: "import"},
		{name: "ground below", title: "wrong sum", code: "import numpy as np\nimport xarray as xr\nprint(xr, np)", want: "xarray", source: "import"},
		{name: "platform below", title: "wrong sum", code: "import torch\nimport torchmetrics\nprint(torchmetrics, torch)", want: "torchmetrics"},
		{name: "platform in the title", title: "torch.compile breaks", code: "import torch\nimport torchvision\nprint(torch, torchvision)", want: "torch"},
		{name: "name of an import in the title", title: "PPO.load crashes", code: "import gymnasium as gym\nfrom stable_baselines3 import PPO\nPPO(gym)", want: "stable-baselines3", source: "title"},
		{name: "common word in the title", title: "clip is wrong", code: "import numpy as np\nprint(np.clip(1, 2, 3))", want: "numpy"},
		{name: "contrast", title: "it fails", versions: []report.Version{version("optuna", "3.2.0", "prose", report.RoleGood)}, want: "optuna", source: "version"},
		{name: "tracker", title: "it fails", code: "import torch\nimport einops\nprint(torch, einops)", repo: "pytorch/pytorch", want: "torch", source: "tracker"},
		{name: "variant", title: "import fails", code: "import tensorflow as tf", versions: []report.Version{version("tensorflow-cpu", "2.7.1", "requirements", report.RoleStated)}, want: "tensorflow-cpu"},
		{name: "a freeze says nothing", title: "it fails", code: "import equinox as eqx\nprint(eqx)", versions: []report.Version{version("absl-py", "2.1.0", "freeze", report.RoleStated), version("equinox", "0.11.5", "freeze", report.RoleStated)}, want: "equinox"},
		{name: "frames", title: "it fails", frames: []string{"", "xgboost", "sklearn"}, want: "xgboost", source: "traceback"},
		{name: "standard library", title: "it fails", code: "import os, sys, optuna\nprint(os, sys, optuna)", want: "optuna"},
		{name: "nothing", title: "it fails"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := handmade(c.title, "", c.code)
			r.Repo, r.Versions = c.repo, c.versions
			var s symptom.Symptom
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
