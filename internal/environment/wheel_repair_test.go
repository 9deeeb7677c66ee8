package environment

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wheelFile packs a wheel of package x with this METADATA.
func wheelFile(t *testing.T, metadata string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	sum := func(s string) string {
		h := sha256.Sum256([]byte(s))
		return base64.RawURLEncoding.EncodeToString(h[:])
	}
	code := "answer = 42\n"
	record := fmt.Sprintf("x/__init__.py,sha256=%s,%d\nx-1.0.dist-info/METADATA,sha256=%s,%d\nx-1.0.dist-info/RECORD,,\n",
		sum(code), len(code), sum(metadata), len(metadata))
	for _, f := range [][2]string{{"x/__init__.py", code}, {"x-1.0.dist-info/METADATA", metadata}, {"x-1.0.dist-info/RECORD", record}} {
		part, err := w.Create(f[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(f[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func unpack(t *testing.T, file string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	out := map[string]string{}
	for _, f := range z.File {
		text, err := readZipFile(f, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = text
	}
	return out
}

const badMetadataText = "Metadata-Version: 2.1\nName: x\nVersion: 1.0\nRequires-Dist: six\nRequires-Dist: opencv-python (>=3.)\n\nReadme\n"

func TestRepairWheel(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x-1.0-py3-none-any.whl")
	if err := os.WriteFile(file, wheelFile(t, badMetadataText), 0o644); err != nil {
		t.Fatal(err)
	}
	before := unpack(t, file)
	notes, err := repairWheel(file)
	if err != nil || len(notes) != 1 {
		t.Fatalf("notes %q, %v", notes, err)
	}
	if got := readRepaired(filepath.Dir(file)); strings.Join(got, ";") != strings.Join(notes, ";") {
		t.Errorf("kept notes %q, want %q", got, notes)
	}
	after := unpack(t, file)
	if after["x/__init__.py"] != before["x/__init__.py"] || len(after) != len(before) {
		t.Error("another file changed")
	}
	if want := "Requires-Dist: opencv-python (>=3)\n"; !strings.Contains(after["x-1.0.dist-info/METADATA"], want) {
		t.Errorf("metadata %q", after["x-1.0.dist-info/METADATA"])
	}
	sum := sha256.Sum256([]byte(after["x-1.0.dist-info/METADATA"]))
	want := fmt.Sprintf("x-1.0.dist-info/METADATA,sha256=%s,%d\n", base64.RawURLEncoding.EncodeToString(sum[:]), len(after["x-1.0.dist-info/METADATA"]))
	if record := after["x-1.0.dist-info/RECORD"]; !strings.Contains(record, want) || strings.Count(record, "\n") != 3 {
		t.Errorf("record %q", record)
	}
	if notes, err := repairWheel(file); err != nil || notes != nil {
		t.Errorf("a second repair: %q %v", notes, err)
	}
}

func TestRepairWheelLeavesOthers(t *testing.T) {
	for name, data := range map[string][]byte{
		"good":       wheelFile(t, "Name: x\nVersion: 1.0\nRequires-Dist: six\n"),
		"no archive": []byte("wheel"),
	} {
		file := filepath.Join(t.TempDir(), "x-1.0-py3-none-any.whl")
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if notes, err := repairWheel(file); err != nil || notes != nil {
			t.Errorf("%s: %q %v", name, notes, err)
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: the file changed (%v)", name, err)
		}
	}
	if _, err := repairWheel(filepath.Join(t.TempDir(), "absent.whl")); err == nil {
		t.Error("repaired a file that is not there")
	}
}

func TestWithBuildTag(t *testing.T) {
	for in, want := range map[string]string{
		"x-1.0-py3-none-any.whl":   "x-1.0-99repaired-py3-none-any.whl",
		"x-1.0-1-py3-none-any.whl": "x-1.0-1-py3-none-any.whl",
		"x-1.0.tar.gz":             "x-1.0.tar.gz",
	} {
		if got := withBuildTag(in); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}
