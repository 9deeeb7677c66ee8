package triage

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/report"
)

func routed(text string) *Decision {
	return Decide(report.Parse([]byte(text), report.Source{Kind: "file", Name: "t.md"}), Options{})
}

func reasonsOf(d *Decision) string {
	var all []string
	for _, r := range d.Reasons {
		all = append(all, r.Text)
	}
	return strings.Join(all, "\n")
}

func TestHumanFirst(t *testing.T) {
	for _, c := range []struct{ name, text, reason string }{
		{"ci", "# CI: test_loader fails on windows runners\n\nThe job times out since Monday.", "continuous integration"},
		{"actions", "# Tests crash in GitHub Actions\n\nLocally they pass.", "continuous integration"},
		{"install", "# pip install tinyml fails\n\n```\nERROR: Failed building wheel for tinyml\n```", "installation"},
		{"log", "# Cannot get it to run\n\nI tried `pip install tinyml`.\n\n```\nERROR: Could not build wheels for tinyml\nerror: subprocess-exited-with-error\n```", "installation"},
		{"source", "# Build from source is broken with gcc 13\n\nIt stops with an error in kernels.cu.", "build from source"},
		{"docker", "# Docker image crashes at start\n\nThe image of yesterday worked.", "container"},
		{"launch", "# torchrun hangs on two nodes\n\nThe rendezvous never completes, it just hangs.", "several processes"},
		{"slurm", "# Training stops under SLURM\n\n```\n[rank1]: RuntimeError: Connection closed by peer\n```\n\nStarted with srun on 4 nodes.", "several processes"},
		{"colab", "# Colab session crashes after installing the package\n\nIt restarts.", "notebook service"},
		{"wheel", "# wheels missing for Python 3.13\n\nInstalling fails, there is only a source distribution.", "published"},
	} {
		d := routed(c.text)
		if d.Route != HumanFirst {
			t.Errorf("%s: route %s (%s)", c.name, d.Route, reasonsOf(d))
			continue
		}
		if got := reasonsOf(d); !strings.Contains(got, c.reason) || !strings.Contains(got, "single script in a fresh environment") {
			t.Errorf("%s: reasons %q", c.name, got)
		}
		if d.Reasons[0].Span == nil {
			t.Errorf("%s: no words behind the reason", c.name)
		}
	}
}

// TestNotHumanFirst: a complete script stays an attempt, a question a question,
// and a word in passing decides nothing.
func TestNotHumanFirst(t *testing.T) {
	script := "\n```python\nimport numpy as np\nprint(np.mean([1, 2]))  # prints 2, should be 1.5\n```\n"
	for _, c := range []struct {
		name, text string
		route      Route
	}{
		{"complete", "# mean is wrong in our CI\n" + script, Attempt},
		{"docker complete", "# mean is wrong in docker\n" + script, Attempt},
		{"passing word", "# mean is wrong for short lists\n\nI get 2 instead of 1.5 with numpy 1.26, in a docker container.", NeedsModel},
		{"feature", "# Add a Docker image\n\nIt would be nice to have one.", NotABug},
		{"import error", "# import numpy: undefined symbol\n\n```\nImportError: libtiny.so: undefined symbol: tiny_free\n```\n\nnumpy 1.26", NeedsModel},
		{"launched, but a library's exception", "# torch sampler has no batch_size\n\nStarted with torchrun.\n\n```console\n$ torchrun run.py\nTraceback (most recent call last):\n  File \"run.py\", line 8, in <module>\n    loader = prepare(loader)\nAttributeError: 'BatchSampler' object has no attribute 'batch_size'\n```\n\ntorch 2.0, torch.utils.data", NeedsModel},
	} {
		if d := routed(c.text); d.Route != c.route {
			t.Errorf("%s: route %s, want %s (%s)", c.name, d.Route, c.route, reasonsOf(d))
		}
	}
}

func TestHardwareSaysWhyNotLowered(t *testing.T) {
	for name, c := range map[string]struct{ text, why string }{
		"module":  {"# fp8 layer is wrong\n\n```python\nimport transformer_engine.pytorch as te\nprint(te.Linear(2, 2))\n```", "transformer_engine has no part that runs on a CPU"},
		"call":    {"# graph capture fails\n\n```python\nimport torch\ng = torch.cuda.CUDAGraph()\nprint(g)\n```", "exists for the device only"},
		"cpu":     {"# argmax is wrong on mps\n\nOn the CPU it is fine. torch 2.1", "the CPU does not show it"},
		"title":   {"# RuntimeError: CUDA error: misaligned address when the model trains\n\nSee the picture. tinylib 0.7 with torch 1.7.1, how do I solve it?", "the failure is the device's own"},
		"many":    {"# training stops with multi GPU\n\nI follow the tutorial. tinylib 0.7 with torch 1.7.1", "does nothing without the device"},
		"devices": {"# loss differs\n\n```python\nimport torch\nm = torch.nn.DataParallel(torch.nn.Linear(2, 2))\nprint(m)\n```", "several devices"},
	} {
		d := routed(c.text)
		if d.Route != NeedsHardware || !strings.Contains(reasonsOf(d), "lowering it to the CPU was considered: ") || !strings.Contains(reasonsOf(d), c.why) {
			t.Errorf("%s: route %s, reasons %q", name, d.Route, reasonsOf(d))
		}
	}
}

func TestWithinRounding(t *testing.T) {
	for _, c := range []struct {
		name, text string
		route      Route
		reason     string
	}{
		{"float32", "# sum is not equal to numpy\n\nIn float32 I get 0.30000001 instead of 0.3. tinylib 1.0", NotABug, "4 units of float32"},
		{"float64 by digits", "# add is inexact\n\nIt gives 0.30000000000000004 and not 0.3, so they differ. tinylib 1.0", NotABug, "4 units of float64"},
		{"float16", "# mean differs slightly\n\nThe results differ in float16: 0.33325 vs 0.3333, tinylib 1.0", NotABug, "float16"},
		{"too far", "# sum is not equal to numpy\n\nIn float32 I get 0.3010 instead of 0.3. The loss is wrong with jax 0.4.30.", NeedsModel, ""},
		{"no type", "# sum is not equal to numpy\n\nI get 0.30000001 instead of 0.3. The loss is wrong with jax 0.4.30.", NeedsModel, ""},
		{"two types", "# sum is not equal to numpy\n\nfloat32 gives 0.30000001 instead of 0.3, float64 is fine. The loss is wrong with jax 0.4.30.", NeedsModel, ""},
		{"no such complaint", "# sum returns garbage\n\nIn float32 I get 0.30000001 instead of 0.3 apples. The loss is wrong with jax 0.4.30.", NeedsModel, ""},
		{"script runs", "# sum is not equal to numpy\n\nIn float32 I get 0.30000001 instead of 0.3.\n\n```python\nimport tinylib\nprint(tinylib.add(0.1, 0.2))\n```", Attempt, "4 units of float32"},
	} {
		d := routed(c.text)
		if d.Route != c.route || !strings.Contains(reasonsOf(d), c.reason) || c.reason == "" && strings.Contains(reasonsOf(d), "units of") {
			t.Errorf("%s: route %s, reasons %q", c.name, d.Route, reasonsOf(d))
		}
	}
}

func TestIntendedLabel(t *testing.T) {
	r := report.Parse([]byte("# reset keeps the return\n\nI get 4.9 instead of 0."), report.Source{})
	r.Labels = []string{"type: by design"}
	if d := Decide(r, Options{}); d.Route != NotABug || !strings.Contains(reasonsOf(d), "by design") {
		t.Errorf("route %s, reasons %q", d.Route, reasonsOf(d))
	}
}
