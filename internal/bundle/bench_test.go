package bundle

import (
	"path/filepath"
	"testing"
)

// BenchmarkWrite and BenchmarkRead take a bundle of eight executions to the
// disk and back; reading checks every hash and judges again.
func BenchmarkWrite(b *testing.B) {
	c, dir := sample(b), filepath.Join(b.TempDir(), "bundle")
	for b.Loop() {
		if _, err := Write(dir, c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	dir, err := Write(filepath.Join(b.TempDir(), "bundle"), sample(b))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, tampered, err := Read(dir); err != nil || len(tampered) > 0 {
			b.Fatal(err, tampered)
		}
	}
}
