package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/proof"
)

var positive = []string{"reproduced", "fixed", "regression"}

// cases are real bugs of real packages with known answers. want lists every
// right headline; a negative must never end positive.
var cases = []struct {
	name string
	want []string
}{
	{"needs-hardware-cuda-graph", []string{"needs_hardware"}},
	{"needs-info-sb3-missing-env", []string{"needs_info", "needs_model"}},
	{"hostile-secrets-loopback", []string{"hostile"}},
	{"jax-jit-exp-nan", positive},
	{"not-a-bug-jax-float-sum", []string{"not_a_bug"}},
	{"keras-logsumexp-symbolic", positive},
	{"not-reproduced-keras-argmax", []string{"not_reproduced"}},
	{"equinox-rope-dtype", positive},
	{"pot-circle-rotation", positive},
	{"not-a-bug-gymnasium-return-kept", []string{"not_a_bug", "lead"}},
	{"gymnasium-vector-normalize-reward", positive},
	{"pygad-init-range", positive},
	{"equinox-layernorm-silent-shape", positive},
	{"equinox-rmsnorm-half-drift", positive},
	{"keras-jax-argmin-subnormal", positive},
	{"optuna-grid-enqueue", []string{"reproduced", "lead"}}, // disputed, and never changed
	{"sklearn-isoforest-names-warning", positive},
	{"xgboost-sklearn-tags", positive},
	{"tf-27-protobuf4-import", positive},
	{"tf-drawboxes-abort", positive},
	{"numpyro-only-deterministic", positive}, // a paste that lost its shape and its imports
	{"optuna-grid-parallel-duplicates", positive},
	{"torchmetrics-topk-macro", positive}, // torch without CUDA's libraries
}

// TestCases takes each report the whole way on the real package index, then
// verifies its bundle. The time of each is logged, not judged.
func TestCases(t *testing.T) {
	real(t)
	sharedCache(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			began := time.Now()
			out := filepath.Join(t.TempDir(), "run")
			r, code := reproduce(t, "--out", out, filepath.Join("testdata", "cases", c.name+".md"))
			t.Logf("%s %s in %.0f s: %s", r.Headline, r.Grade, time.Since(began).Seconds(), strings.Join(r.Reasons, "; "))
			if !slices.Contains(c.want, string(r.Headline)) {
				t.Fatalf("got %s, want one of %v", r.Headline, c.want)
			}
			if code != proof.ExitCode(r) {
				t.Errorf("exit code %d, the headline says %d", code, proof.ExitCode(r))
			}
			if r.Bundle != nil {
				verifies(t, *r.Bundle)
			}
		})
	}
}

// reproduce runs the command with --json in this process.
func reproduce(t *testing.T, args ...string) (*proof.Result, int) {
	t.Helper()
	var out, errOut bytes.Buffer
	code := Main(append([]string{"reproduce", "--json"}, args...), strings.NewReader(""), &out, &errOut)
	var r proof.Result
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("exit code %d, no JSON object on standard output: %v\n%s", code, err, errOut.String())
	}
	return &r, code
}

func verifies(t *testing.T, bundle string) {
	t.Helper()
	var out, errOut bytes.Buffer
	if code := Main([]string{"verify", bundle}, strings.NewReader(""), &out, &errOut); code != 0 {
		t.Errorf("verify ended with %d: %s%s", code, out.String(), errOut.String())
	}
}
