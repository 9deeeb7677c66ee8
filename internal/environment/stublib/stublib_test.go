package stublib

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// importer stands for a library of torch: testdata/importer.c says how it was
// made.
func importer(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/importer.so")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// site makes a folder of files, as one of installed packages.
func site(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestNeeds(t *testing.T) {
	so := importer(t)
	runtime := Library{
		Soname: "libcudart.so.12", Versions: []string{"libcudart.so.12"},
		Symbols: []Symbol{{"cudaGetErrorString", "libcudart.so.12"}, {"cudaGetDeviceCount", "libcudart.so.12"}, {"cudaMemGetInfo", "libcudart.so.12"}},
	}
	nccl := Library{Soname: "libnccl.so.2", Symbols: []Symbol{{"ncclGetVersion", ""}}}
	tests := []struct {
		name  string
		files map[string][]byte
		want  []Library
	}{
		{"nothing installed", nil, nil},
		{"both missing", map[string][]byte{"torch/lib/libx.so": so}, []Library{runtime, nccl}},
		{"one is here", map[string][]byte{"torch/lib/libx.so": so, "nvidia/nccl/lib/libnccl.so.2": so[:64]}, []Library{runtime}},
		{"both are here", map[string][]byte{"a/libx.so": so, "libcudart.so.12": nil, "libnccl.so.2": nil}, nil},
		{"no library at all", map[string][]byte{"a/x.so": []byte("#!/bin/sh"), "b/y.so": nil, "c.py": so}, nil},
		{"cut", map[string][]byte{"torch/lib/libx.so": so[:len(so)/2]}, nil},
	}
	for _, tt := range tests {
		got, err := Needs(t.Context(), site(t, tt.files))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if fmt.Sprint(sorted(got)) != fmt.Sprint(sorted(tt.want)) {
			t.Errorf("%s: needs %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// sorted puts the symbols of libraries in one order.
func sorted(libs []Library) []Library {
	out := slices.Clone(libs)
	for i := range out {
		out[i].Symbols = slices.Clone(out[i].Symbols)
		slices.SortFunc(out[i].Symbols, func(a, b Symbol) int { return strings.Compare(a.Name, b.Name) })
	}
	return out
}

func TestNeedsStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Needs(ctx, site(t, map[string][]byte{"a/libx.so": importer(t)})); err == nil {
		t.Error("went on after it was told to stop")
	}
	if _, err := Needs(t.Context(), filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("a folder that is not there has no needs")
	}
}

func TestCUDALibrary(t *testing.T) {
	for _, so := range []string{
		"libcudart.so.11.0", "libcudart.so.13", "libcublasLt.so.12", "libcudnn.so.9", "libcudnn_ops_infer.so.8", "libcufile.so.0",
		"libcusparseLt.so.0", "libnccl.so.2", "libnvToolsExt.so.1", "libnvJitLink.so.12", "libnvshmem_host.so.3", "libcupti.so.12", "libnvrtc.so.12",
	} {
		if !cudaLibrary.MatchString(so) {
			t.Errorf("%s is one of CUDA's", so)
		}
	}
	// The driver's must stay absent, others are not ours to replace.
	for _, so := range []string{"libcuda.so.1", "libnvidia-ml.so.1", "libc.so.6", "libcusparseLt-f8b4a9fb.so.0", "libcudart-53fb8393.so.12", "libcurl.so.4", "libc10_cuda.so"} {
		if cudaLibrary.MatchString(so) {
			t.Errorf("%s must not be replaced", so)
		}
	}
}

func TestOwner(t *testing.T) {
	needed := []string{"libcublas.so.12", "libcublasLt.so.12", "libnccl.so.2"}
	for symbol, want := range map[string]string{
		"cublasLtMatmul": "libcublasLt.so.12", "cublasSgemm_v2": "libcublas.so.12", "ncclAllReduce": "libnccl.so.2",
		"cudnnCreate": "libcublas.so.12", "PyObject_Str": "", "_ZN2at6cublasE": "",
	} {
		if got := owner(symbol, needed); got != want {
			t.Errorf("%s belongs to %q, want %q", symbol, got, want)
		}
	}
}

func TestCode(t *testing.T) {
	f := Facts{CUDNN: [3]int{9, 1, 0}, NCCL: [3]int{2, 19, 3}, Runtime: [2]int{12, 4}}
	tests := map[string]string{
		"cudaMalloc":           "b8 23 00 00 00 c3",
		"cublasCreate_v2":      "b8 01 00 00 00 c3",
		"cudaGetDeviceCount":   "c7 07 00 00 00 00 b8 23 00 00 00 c3",
		"cudaDriverGetVersion": "c7 07 00 00 00 00 b8 00 00 00 00 c3",
		"cudnnGetVersion":      "b8 f4 5f 01 00 c3", // 90100
		"ncclGetVersion":       "c7 07 8f 55 00 00 b8 00 00 00 00 c3",
	}
	for symbol, want := range tests {
		if got := fmt.Sprintf("% x", f.Code(symbol)); got != want {
			t.Errorf("%s: %s, want %s", symbol, got, want)
		}
	}
	if got := (Facts{}).Code("cudnnGetVersion"); !bytes.Equal(got, returnNumber(notInitialized)) {
		t.Errorf("an unknown version is made up: % x", got)
	}
	if cudnnNumber([3]int{8, 9, 2}) != 8902 || cudnnNumber([3]int{9, 5, 1}) != 90501 {
		t.Error("the number of a release of cuDNN")
	}
	if !bytes.Contains(f.Code("cudaGetErrorString"), []byte(noDevice+"\x00")) {
		t.Error("an error has no text")
	}
}

// TestWriteReadsBack: whatever is asked for, a reader of ELF files that is not
// ours finds the name, each version and each symbol under its version.
func TestWriteReadsBack(t *testing.T) {
	symbol := rapid.Custom(func(t *rapid.T) Symbol {
		return Symbol{
			Name:    rapid.StringMatching(`[a-z_][A-Za-z0-9_]{0,30}`).Draw(t, "name"),
			Version: rapid.SampledFrom([]string{"", "libcudart.so.12", "libnvJitLink.so.12"}).Draw(t, "version"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		l := Library{
			Soname:   rapid.StringMatching(`lib[a-zA-Z]{1,12}\.so\.[0-9]{1,2}`).Draw(t, "soname"),
			Symbols:  rapid.SliceOfNDistinct(symbol, 0, 40, func(s Symbol) string { return s.Name }).Draw(t, "symbols"),
			Versions: rapid.SliceOfN(rapid.SampledFrom([]string{"", "libcudart.so.12", "V_1"}), 0, 3).Draw(t, "versions"),
		}
		data := Write(l, Facts{}.Code)
		if again := Write(l, Facts{}.Code); !bytes.Equal(data, again) {
			t.Fatal("two files for one input")
		}
		if diff := readBack(data, l); diff != "" {
			t.Fatal(diff)
		}
	})
}

// readBack says what a file lacks of a library.
func readBack(data []byte, l Library) string {
	x, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return err.Error()
	}
	if name, err := x.DynString(elf.DT_SONAME); err != nil || !slices.Equal(name, []string{l.Soname}) {
		return fmt.Sprintf("the file's name is %q, %v", name, err)
	}
	versions, err := x.DynamicVersions()
	if err != nil {
		return err.Error()
	}
	have := map[string]bool{"": true}
	for _, v := range versions {
		have[v.Name] = true
	}
	for _, v := range l.Versions {
		if !have[v] {
			return fmt.Sprintf("version %q is not defined: %v", v, versions)
		}
	}
	symbols, err := x.DynamicSymbols()
	if err != nil && len(l.Symbols) > 0 {
		return err.Error()
	}
	found := map[string]elf.Symbol{}
	for _, s := range symbols {
		found[s.Name] = s
	}
	text := x.Section(".text")
	for _, want := range l.Symbols {
		got, ok := found[want.Name]
		switch {
		case !ok:
			return want.Name + " is not there"
		case want.Version != "" && got.Version != want.Version:
			return fmt.Sprintf("%s has version %q, want %q", want.Name, got.Version, want.Version)
		case got.Section == elf.SHN_UNDEF || got.Value < text.Addr || got.Value >= text.Addr+text.Size:
			return want.Name + " leads nowhere"
		}
	}
	return ""
}

// The segments must not share a page that one of them writes to, and an offset
// must be what the loader can map at its address.
func TestSegments(t *testing.T) {
	for _, n := range []int{0, 1, 3000} {
		l := Library{Soname: "libcudart.so.12"}
		for i := range n {
			l.Symbols = append(l.Symbols, Symbol{fmt.Sprintf("cuda%d", i), "libcudart.so.12"})
		}
		x, err := elf.NewFile(bytes.NewReader(Write(l, Facts{}.Code)))
		if err != nil {
			t.Fatal(err)
		}
		end := uint64(0)
		for _, p := range x.Progs {
			if p.Type != elf.PT_LOAD {
				continue
			}
			if p.Off%align != p.Vaddr%align {
				t.Errorf("%d symbols: offset %#x cannot be mapped at %#x", n, p.Off, p.Vaddr)
			}
			if p.Vaddr/align < end {
				t.Errorf("%d symbols: segment at %#x shares a page with the one before", n, p.Vaddr)
			}
			end = (p.Vaddr+p.Memsz-1)/align + 1
			if p.Flags&(elf.PF_W|elf.PF_X) == elf.PF_W|elf.PF_X {
				t.Errorf("%d symbols: a segment can be written and executed", n)
			}
		}
	}
}

// FuzzNeeds: a library of an index may be anything; it is read without running
// it and must not stop the build with a panic.
func FuzzNeeds(f *testing.F) {
	so := importer(f)
	f.Add(so, 0, byte(0))
	f.Add(so[:100], 0, byte(1))
	f.Add(so, 0x28, byte(0xff)) // the offset of the section headers
	f.Add([]byte("\x7fELF"), 0, byte(0))
	f.Fuzz(func(t *testing.T, data []byte, at int, b byte) {
		data = slices.Clone(data)
		if at >= 0 && at < len(data) {
			data[at] = b
		}
		libs, err := Needs(t.Context(), site(t, map[string][]byte{"torch/lib/libx.so": data}))
		if err != nil {
			return
		}
		for _, l := range libs {
			if !cudaLibrary.MatchString(l.Soname) || strings.ContainsAny(l.Soname, "/\x00") {
				t.Errorf("would write %q", l.Soname)
			}
		}
	})
}

// TestLoader lets the machine's own loader and Python have the last word.
func TestLoader(t *testing.T) {
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to load the written libraries with this machine's Python")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal(err)
	}
	dir := site(t, map[string][]byte{"libx.so": importer(t)})
	libs, err := Needs(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range libs {
		if err := os.WriteFile(filepath.Join(dir, l.Soname), Write(l, Facts{NCCL: [3]int{2, 19, 3}}.Code), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script := `
import ctypes, os, sys
l = ctypes.CDLL(sys.argv[1], mode=os.RTLD_NOW)
l.text.restype = ctypes.c_char_p
print(l.count(), l.memory(), l.text().decode(), l.nccl(), l.own())`
	out, err := exec.Command(python, "-c", script, filepath.Join(dir, "libx.so")).CombinedOutput()
	if want := "3500 35 " + noDevice + " 21903 7\n"; err != nil || string(out) != want {
		t.Errorf("%q %v, want %q", out, err, want)
	}
}
