package environment

import (
	"archive/zip"
	"path/filepath"
	"slices"
	"testing"

	"github.com/repgen/repgen/internal/pydist"
)

// TestRealImportNames compares the table's rows that people most often get
// wrong with the wheels of the index. The distribution must hold the module;
// others may hold it too (a headless build). The day is fixed: a release that
// comes tomorrow, or whose wheels are not there yet, is no fault of the table.
func TestRealImportNames(t *testing.T) {
	m := realBench(t)
	client, err := m.index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for module, dist := range map[string]string{
		"cv2": "opencv-python-headless", "sklearn": "scikit-learn", "skimage": "scikit-image", "PIL": "pillow", "yaml": "pyyaml", "bs4": "beautifulsoup4",
		"Crypto": "pycryptodome", "attr": "attrs", "dateutil": "python-dateutil", "OpenSSL": "pyopenssl", "serial": "pyserial",
		"usb": "pyusb", "google.protobuf": "protobuf",
	} {
		t.Run(module, func(t *testing.T) {
			owner, known := pydist.FromModule(module)
			if !known || owner != dist && !slices.Contains(pydist.Variants(owner), dist) {
				t.Errorf("%s belongs to %s (known %t), want %s", module, owner, known, dist)
			}
			project, err := client.Project(t.Context(), dist)
			if err != nil {
				t.Fatal(err)
			}
			list, err := m.Releases(t.Context(), dist, "3.11")
			if err != nil {
				t.Fatal(err)
			}
			r, _ := newest(list, "", at("2025-12-01"))
			f, ok := project.Wheel(r.Version, "3.11")
			if !ok {
				t.Fatalf("%s %s has no wheel", dist, r.Version)
			}
			path := filepath.Join(t.TempDir(), f.Filename)
			if err := client.Download(t.Context(), f, path); err != nil {
				t.Fatal(err)
			}
			z, err := zip.OpenReader(path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = z.Close() }()
			var files []string
			for _, part := range z.File {
				files = append(files, part.Name)
			}
			held := pydist.TopLevel(files)
			for _, name := range pydist.Imports(dist) {
				if !slices.Contains(held, name) {
					t.Errorf("%s %s holds %q, the table says %q", dist, f.Version, held, name)
				}
			}
			if !slices.Contains(held, module) {
				t.Errorf("%s %s holds %q and no %s", dist, f.Version, held, module)
			}
		})
	}
}
