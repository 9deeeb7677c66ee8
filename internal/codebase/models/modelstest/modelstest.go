// Package modelstest gives tests real models and the real runtime.
package modelstest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/repgen/repgen/internal/codebase/models"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/system"
)

// Pull gives a model of the manifest, pulled into the user's own cache folder
// when it is not there. It skips unless REPGEN_REAL is set; then whatever is
// missing fails.
func Pull(t testing.TB, name string) *models.Installed {
	t.Helper()
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to use real models and the onnxruntime library")
	}
	cache, err := system.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	m := models.Open(cache, models.Options{Index: func(ctx context.Context) (models.Lister, error) {
		e, err := environment.Open(ctx, environment.Options{CacheDir: cache})
		if err != nil {
			return nil, err
		}
		return e.PackageIndex(ctx)
	}})
	in, err := m.Pull(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Runtime gives the library of onnxruntime, as Pull does.
func Runtime(t testing.TB) string {
	t.Helper()
	in := Pull(t, models.RuntimeName)
	return filepath.Join(in.Dir, in.Files[0].Path)
}
