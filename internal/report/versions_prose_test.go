package report

import (
	"slices"
	"strings"
	"testing"
)

// TestNumbersThatAreNoVersion: a number in the name of a module, and the version
// of what a package was built with.
func TestNumbersThatAreNoVersion(t *testing.T) {
	for _, c := range []struct {
		name, prose string
		want        []string
	}{
		{"a module's name", "`torchvision.transforms.v2.functional` is off", nil},
		{"before a full stop", "I call tf.compat.v1.", nil},
		{"with a class behind it", "tf.compat.v1.Session fails", nil},
		{"beside a version", "`torchvision.transforms.v2` of torchvision 0.17.0 is off", []string{"torchvision 0.17.0 stated prose"}},
		{"a version with a v", "seen with torch v2.2.1 today", []string{"torch 2.2.1 stated prose"}},
		{"built with", "PyTorch version: 2.2.0\nCUDA used to build PyTorch: 12.1\nROCM used to build PyTorch: N/A\n", []string{"torch 2.2.0 stated prose"}},
		{"four numbers", "Problem: wrong boxes\nopencv-python version: 4.5.2.54\nOperating System: Debian", []string{"opencv-python 4.5.2.54 stated prose"}},
		{"four small numbers", "seen with catboost 0.9.1.1 today", []string{"catboost 0.9.1.1 stated prose"}},
		{"an address", "it listens on 0.9.1.1 and 127.0.0.1", nil},
		{"an address beside a name", "its tensorboard is 127.0.0.1, dask is 10.0.0.7 and ray: 192.168.1.2", nil},
		{"built with alone", "The CUDA used to build PyTorch: 12.1", nil},
	} {
		r := Parse([]byte("# Wrong boxes\n\n"+c.prose), Source{})
		if got := versionLines(r); !slices.Equal(got, c.want) {
			t.Errorf("%s: versions %q, want %q", c.name, got, c.want)
		}
	}
}

// TestAccelerateIsSoftware: a word for a score hides no package that begins
// like it.
func TestAccelerateIsSoftware(t *testing.T) {
	text := "# It stops\n\n### System Info\n\n```Shell\n- `Accelerate` version: 1.12.0\n- Platform: Linux-6.8.0-x86_64\n- Python version: 3.13.7\n- accuracy: 0.93\n- acc @1: 71.2\n- acc: 0.5\n```\n"
	got := versionLines(Parse([]byte(text), Source{}))
	if len(got) != 2 || !strings.HasPrefix(got[0], "accelerate 1.12.0 stated") || !strings.HasPrefix(got[1], "python 3.13.7") {
		t.Errorf("versions %q, want those of accelerate and Python", got)
	}
}
