package pydist

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTopLevel(t *testing.T) {
	for _, c := range []struct{ name, files, want string }{
		{"package", "yaml/__init__.py yaml/reader.py PyYAML-6.0.dist-info/RECORD", "yaml"},
		{"extension beside it", "_yaml/__init__.py yaml/__init__.py yaml/_yaml.cpython-311-x86_64-linux-gnu.so", "_yaml yaml"},
		{"module", "six.py six-1.16.0.dist-info/METADATA", "six"},
		{"compiled module", "_cffi_backend.cpython-311-x86_64-linux-gnu.so cffi/__init__.py", "_cffi_backend cffi"},
		{"namespace", "google/protobuf/__init__.py google/protobuf/message.py google/_upb/_message.abi3.so", "google google.protobuf"},
		{"deep namespace", "azure/storage/blob/__init__.py azure/storage/blob/_a.py", "azure.storage.blob"},
		{"no package at all", "ns/a.py", "ns"},
		{"data and scripts", "x-1.data/scripts/run.py ../../bin/x bin-dir/x.py opencv_python.libs/libz.so.1 x/data.txt x/__init__.py", "x"},
		{"nothing", "", ""},
	} {
		if got := strings.Join(TopLevel(strings.Fields(c.files)), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestTopLevelProperty: every name is dotted identifiers, once each, sorted, and
// the order of the files does not matter.
func TestTopLevelProperty(t *testing.T) {
	path := rapid.StringMatching(`([a-zA-Z_.0-9-]{1,6}/){0,3}([a-z_]{1,4}|__init__)\.(py|so|txt|cpython-311\.so)`)
	rapid.Check(t, func(t *rapid.T) {
		files := rapid.SliceOfN(path, 0, 8).Draw(t, "files")
		got := TopLevel(files)
		if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Fatalf("%q", got)
		}
		for _, name := range got {
			for part := range strings.SplitSeq(name, ".") {
				if !isIdentifier(part) {
					t.Fatalf("%q of %q", name, files)
				}
			}
		}
		turned := slices.Clone(files)
		slices.Reverse(turned)
		if other := TopLevel(turned); !slices.Equal(other, got) {
			t.Fatalf("%q and %q", got, other)
		}
	})
}

func TestNamespace(t *testing.T) {
	for name, want := range map[string]bool{"google": true, "azure": true, "ruamel": true, "torch": false, "yaml": false, "mpl_toolkits": false, "": false, "unheard_of": false} {
		if Namespace(name) != want {
			t.Errorf("Namespace(%q) = %t", name, !want)
		}
	}
}
