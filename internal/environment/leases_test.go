package environment

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestHeldUntilRelease: what a certified environment is made of stays, the
// bytecode that its commands mount included, until it is given back; giving it
// back again, from anywhere, is harmless.
func TestHeldUntilRelease(t *testing.T) {
	w := newWorkshop(t, "")
	e := w.built(t, lockOf("3.11.7", "jax==0.6.2"))
	if cert, err := w.Certify(t.Context(), e, Spec{Imports: []string{"jax"}}); err != nil || !cert.OK {
		t.Fatalf("%+v %v", cert, err)
	}
	first := e.bytecode
	if cert, err := w.Certify(t.Context(), e, Spec{Imports: []string{"numpy"}}); err != nil || !cert.OK {
		t.Fatalf("%+v %v", cert, err)
	}
	places := []string{e.Dir, first, e.bytecode}
	if first == "" || first == e.bytecode {
		t.Fatalf("bytecode in %q", places[1:])
	}
	if n, err := w.Trim(t.Context(), 1, 0); err != nil || n != 0 {
		t.Errorf("%d went (%v) that were in use", n, err)
	}
	for _, p := range places {
		if _, err := os.Stat(p); err != nil {
			t.Error(err)
		}
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(e.Release)
	}
	all.Wait()
	if n, err := w.Trim(t.Context(), 1, 0); err != nil || n != 3 {
		t.Errorf("%d went (%v), want the environment and both certificates", n, err)
	}
	e.Release()
	(&Environment{}).Release()
}

// TestReleaseOfAReplacedEnvironment: an environment that took the place of one
// with stubs holds its own, and nothing of the other.
func TestReleaseOfAReplacedEnvironment(t *testing.T) {
	w := newWorkshop(t, "")
	light := w.built(t, lockOf("3.11.7", "jax==0.6.2"))
	dir := light.Dir
	if err := w.withCUDA(t.Context(), light); err != nil { // the same lock: nothing is left out
		t.Fatal(err)
	}
	if n, err := w.Trim(t.Context(), 1, 0); err != nil || n != 0 || light.Dir != dir {
		t.Errorf("%d went (%v), now %s", n, err, light.Dir)
	}
	light.Release()
	if n, err := w.Trim(t.Context(), 1, 0); err != nil || n != 1 {
		t.Errorf("%d went (%v) after the release", n, err)
	}
}

// TestWheelsAreHeld: a wheel that a solution names to uv by its folder stays as
// long as its Manager lives.
func TestWheelsAreHeld(t *testing.T) {
	w, p := studio(t)
	s := w.specOf(t, p)
	lock, u, err := w.Solve(t.Context(), s)
	if err != nil || u != nil {
		t.Fatalf("%+v %v", u, err)
	}
	if n, err := w.Trim(t.Context(), 1, 0); err != nil || n != 1 { // the environment of the build
		t.Errorf("%d went (%v)", n, err)
	}
	dir, err := w.wheelDir(lock.Packages[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, lock.Packages[0].Wheel)); err != nil {
		t.Error(err)
	}
	other, err := Open(t.Context(), Options{CacheDir: w.opts.CacheDir})
	if err != nil {
		t.Fatal(err)
	}
	if dir, err := other.wheelDir(lock.Packages[0]); err != nil {
		t.Errorf("another process finds %q %v", dir, err)
	}
}
