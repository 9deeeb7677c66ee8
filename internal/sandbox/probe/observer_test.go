package probe

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"
)

func TestMaterialise(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "observer")
	if err := Materialise(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sitecustomize.py", "repgen_probe/__init__.py", "repgen_probe/values.py"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o644 || info.Size() == 0 {
			t.Errorf("%s: mode %v, %d bytes", name, info.Mode(), info.Size())
		}
	}
}

func TestMaterialiseTouchesOnlyWhatDiffers(t *testing.T) {
	dir := t.TempDir()
	if err := Materialise(dir); err != nil {
		t.Fatal(err)
	}
	same, changed := filepath.Join(dir, "sitecustomize.py"), filepath.Join(dir, "repgen_probe", "watch.py")
	old := time.Unix(1000000000, 0)
	if err := os.Chtimes(same, old, old); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(changed, []byte("tampered"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Materialise(dir); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(same); err != nil || !info.ModTime().Equal(old) {
		t.Errorf("a right file was written again: %v %v", info.ModTime(), err)
	}
	if got, err := os.ReadFile(changed); err != nil || string(got) == "tampered" {
		t.Errorf("a wrong file was kept: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*", ".tmp-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("temporary files left: %v %v", left, err)
	}
}

func TestMaterialiseTwice(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := Materialise(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := Materialise(filepath.Join(dir, "sitecustomize.py")); err == nil {
		t.Error("a folder below a file was made")
	}
}

func TestEnv(t *testing.T) {
	opts := Options{Watch: []string{"a.b", `x["k"]`, "<&>"}, Control: true}
	env := Env(opts, 7)
	if env[EnvFD] != "7" || len(env) != 2 {
		t.Errorf("Env: %v", env)
	}
	var back Options
	if err := json.Unmarshal([]byte(env[EnvOptions]), &back); err != nil || !reflect.DeepEqual(back, opts) {
		t.Errorf("options: %q: %v %v", env[EnvOptions], back, err)
	}
}

func TestNewKey(t *testing.T) {
	a, b := newKey(), newKey()
	if len(a) != 32 || a == b {
		t.Errorf("keys: %q %q", a, b)
	}
}
