package environment

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseRequirement(t *testing.T) {
	good := map[string]string{
		"jax==0.6.2":                        "jax==0.6.2",
		"JAX[CPU, tpu] >= 0.4 , < 0.6":      "jax[CPU,tpu]>=0.4,<0.6",
		"scikit_learn":                      "scikit-learn",
		"torch==2.1.0+cu118":                "torch==2.1.0+cu118",
		"foo (>=1.0)":                       "foo>=1.0",
		"tensorflow==2.15.*":                "tensorflow==2.15.*",
		"a.b ~= 1.4.2":                      "a-b~=1.4.2",
		"x==1.0; python_version > '3.8'":    "x==1.0",
		"opencv-python-headless!=4.5.*,>=4": "opencv-python-headless!=4.5.*,>=4",
	}
	for text, want := range good {
		r, err := parseRequirement(text)
		if err != nil || r.line() != want {
			t.Errorf("%q: %q, %v, want %q", text, r.line(), err, want)
		}
	}
	bad := []string{
		"", "  ", "==1.0", "-r requirements.txt", "--index-url=http://x", "x @ file:///tmp/x", "git+https://example.invalid/x",
		"./x", "/abs/x", "x==", "x=1.0", "x==1.0 y==2.0", "x==1.0\n-r /etc/passwd", "x[a b]==1", "x[-a]", "x>=1.*", "x==1.0,", "é==1",
	}
	for _, text := range bad {
		if r, err := parseRequirement(text); err == nil {
			t.Errorf("%q was taken as %q", text, r.line())
		}
	}
}

var oneLine = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*(\[[A-Za-z0-9._,-]+\])?[A-Za-z0-9.!+_*<>=~,-]*$`)

// FuzzParseRequirement: whatever a report says, what reaches the resolver is
// one line of one requirement and reads the same again.
func FuzzParseRequirement(f *testing.F) {
	for _, seed := range []string{"jax==0.6.2", "a[b]>=1,<2", "x @ file:///", "x==1\n--pre", "x;y", "[", "a(>1)", "A.-_b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseRequirement(text)
		if err != nil {
			return
		}
		line := r.line()
		if !oneLine.MatchString(line) {
			t.Fatalf("%q gave the line %q", text, line)
		}
		again, err := parseRequirement(line)
		if err != nil || again.line() != line {
			t.Fatalf("%q -> %q -> %q, %v", text, line, again.line(), err)
		}
	})
}

func FuzzValidSpec(f *testing.F) {
	for _, seed := range []string{"", "==1.0", ">=1,<2", "==1.*", "==1.0 --pre", "==1\n", "===1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		if validSpec(spec) && strings.ContainsAny(spec, "\n\r;@#\x00/\\'\"") {
			t.Fatalf("%q is no specifier", spec)
		}
	})
}

func TestExact(t *testing.T) {
	cases := map[string]string{
		"==1.0": "1.0", "==1.0+cu117": "1.0+cu117", "==1.*": "", ">=1.0": "", "": "", "==1.0,!=1.1": "", "===1.0": "", "~=1.0": "",
	}
	for spec, want := range cases {
		if got := (Requirement{Spec: spec}).exact(); got != want {
			t.Errorf("%q: %q, want %q", spec, got, want)
		}
	}
}

// TestFits: the fast comparison of exact pins agrees with itself under the
// ways of writing a version.
func TestFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		major := rapid.IntRange(0, 30).Draw(t, "major")
		minor := rapid.IntRange(0, 30).Draw(t, "minor")
		version := strings.Join([]string{itoa(major), itoa(minor)}, ".")
		same := rapid.SampledFrom([]string{version, version + ".0", version + "+cpu"}).Draw(t, "same")
		if !fits("==" + version)(same) {
			t.Fatalf("==%s does not fit %s", version, same)
		}
		other := strings.Join([]string{itoa(major), itoa(minor + 1)}, ".")
		if fits("==" + version)(other) {
			t.Fatalf("==%s fits %s", version, other)
		}
		if fits("==" + version + "+cu117")(version) {
			t.Fatalf("a labelled pin fits a release without a label")
		}
	})
}

func itoa(n int) string {
	const digits = "0123456789"
	if n < 10 {
		return digits[n : n+1]
	}
	return itoa(n/10) + digits[n%10:n%10+1]
}

func TestRefusedEnv(t *testing.T) {
	for _, name := range []string{"LD_PRELOAD", "PYTHONPATH", "PATH", "REPGEN_PROBE_FD", "1A", "A-B", "", "UV_INDEX", "DYLD_INSERT_LIBRARIES", "HTTP_PROXY", "https_proxy", "HF_TOKEN", "SSL_CERT_FILE"} {
		if refusedEnv(name, "1") == "" {
			t.Errorf("%s is passed on", name)
		}
	}
	for _, name := range []string{"KERAS_BACKEND", "XLA_FLAGS", "TF_ENABLE_ONEDNN_OPTS", "OMP_NUM_THREADS", "PYTHONHASHSEED", "CUDA_VISIBLE_DEVICES"} {
		if why := refusedEnv(name, "1"); why != "" {
			t.Errorf("%s is refused: %s", name, why)
		}
	}
	if refusedEnv("A", "x\x00y") == "" || refusedEnv("A", strings.Repeat("x", 5000)) == "" {
		t.Error("a value that no process could have is passed on")
	}
}
