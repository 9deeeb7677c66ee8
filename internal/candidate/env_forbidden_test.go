package candidate

import "testing"

func TestForbiddenEnv(t *testing.T) {
	for _, name := range []string{"LD_PRELOAD", "PYTHONPATH", "HTTP_PROXY", "https_proxy", "HF_TOKEN", "UV_INDEX_URL", "A-B", "", "A\x00"} {
		if !ForbiddenEnv(name) {
			t.Errorf("%q may be set", name)
		}
	}
	for _, name := range []string{"KERAS_BACKEND", "XLA_FLAGS", "OMP_NUM_THREADS", "PYTHONHASHSEED", "lower_case", "_private", "X"} {
		if ForbiddenEnv(name) {
			t.Errorf("%q may not be set", name)
		}
	}
}
