package uv

import (
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// recorded reads a recorded failure: the exit code in the first line, then
// what uv wrote. Host names were replaced when they were recorded.
func recorded(t testing.TB, name string) (string, int) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	head, text, _ := strings.Cut(string(data), "\n")
	code, err := strconv.Atoi(strings.TrimPrefix(head, "rc "))
	if err != nil {
		t.Fatalf("%s: first line %q", name, head)
	}
	return text, code
}

func day(y, m, d, h, min, s, ms int) time.Time {
	return time.Date(y, time.Month(m), d, h, min, s, ms*int(time.Millisecond), time.UTC)
}

var classified = map[string]Failure{
	"after-date":            {Class: AfterDate, Name: "torch", Version: "2.5.0", Names: []string{"torch"}, Published: day(2024, 10, 17, 14, 44, 26, 636)},
	"after-date-all":        {Class: AfterDate, Name: "equinox", Version: "0.13.8", Latest: true, Names: []string{"equinox"}, Published: day(2026, 5, 5, 10, 3, 41, 673)},
	"bad-metadata-range":    {Class: BadMetadata, Name: "pandas", Names: []string{"catboost", "pandas"}},
	"conflict2":             {Class: AfterDate, Name: "jax", Version: "0.4.1", Names: []string{"jax"}, Published: day(2022, 12, 13, 18, 22, 1, 402)},
	"conflict":              {Class: Conflict, Name: "tensorflow-cpu", Version: "2.15.1", Names: []string{"tensorflow-cpu", "numpy"}},
	"conflict3":             {Class: OnlySdist, Names: []string{"numpy"}, Name: "numpy"},
	"dns":                   {Class: Unreachable},
	"refused":               {Class: Unreachable},
	"credentials":           {Class: Unreachable},
	"timeout":               {Class: TimedOut},
	"local":                 {Class: VersionMissing, Name: "torch", Version: "2.0.1+cu117", Names: []string{"torch"}},
	"nightly":               {Class: VersionMissing, Name: "tf-nightly", Version: "2.16.0.dev20231201", Names: []string{"tf-nightly"}},
	"version-missing":       {Class: VersionMissing, Name: "jaxlib", Version: "0.1.69", Names: []string{"jaxlib"}},
	"offline":               {Class: NotCached, Name: "six", Names: []string{"six"}},
	"offline-wheel":         {Class: NotCached, Name: "torch", Version: "1.13.1"},
	"only-sdist":            {Class: OnlySdist, Name: "termcolor", Version: "1.1.0", Names: []string{"termcolor"}},
	"only-sdist-several":    {Class: OnlySdist, Name: "prettytable", Names: []string{"cmd2", "pyperclip", "cliff", "optuna"}, Sdists: []string{"cliff", "prettytable", "pyperclip"}},
	"only-sdist-transitive": {Class: OnlySdist, Name: "termcolor", Version: "1.1.0", Names: []string{"tensorflow", "termcolor"}},
	"requires-python-range": {Class: OnlySdist, Name: "contourpy", Names: []string{"contourpy"}},
	"requires-python-sdist": {Class: OnlySdist, Name: "numpy", Version: "2.4.0", Names: []string{"numpy"}},
	"scipy":                 {Class: OnlySdist, Name: "numpy", Version: "1.19.5", Names: []string{"numpy"}},
	"package-missing":       {Class: PackageMissing, Name: "qqzzxx-none-such", Names: []string{"qqzzxx-none-such"}},
	"gone":                  {Class: PackageMissing, Name: "ctx", Names: []string{"ctx"}},
	"parse":                 {Class: ParseError},
	"git-editable":          {Class: ParseError},
	"wrong-python":          {Class: WrongPython, Name: "torch", Version: "1.4.0", Names: []string{"torch"}, Pythons: []string{"3.5", "3.6", "3.7", "3.8"}},
	"range-wrong-python":    {Class: WrongPython, Name: "torch", Names: []string{"torch"}, Pythons: []string{"3.6", "3.7", "3.8", "3.9"}},
	"requires-python":       {Class: RequiresPython, Name: "numpy", Version: "2.3.0", Names: []string{"numpy"}},
	"disk-cache":            {Class: DiskFull},
	"disk-target":           {Class: DiskFull},
	"file-limit":            {Class: FileLimit},
	"cache-read-only":       {Class: CacheLocked},
	"hash-mismatch":         {Class: HashMismatch, Name: "six", Version: "1.16.0"},
	"hash-missing":          {Class: HashMismatch},
	"bad-metadata":          {Class: BadMetadata, Name: "gym", Version: "0.21.0", Names: []string{"gym"}},
	"bad-format":            {Class: BadMetadata, Name: "gym", Version: "0.21.0", Names: []string{"gym"}},
	"build-failed":          {Class: BuildFailed, Name: "gym", Version: "0.21.0"},
}

func TestClassify(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) != len(classified) {
		t.Errorf("%d recorded failures, %d expected ones (%v)", len(files), len(classified), err)
	}
	for name, want := range classified {
		text, code := recorded(t, name)
		got := Classify(text, code)
		if got.Detail == "" || len(got.Detail) > 500 || strings.Contains(got.Detail, "hunter2") || got.Code != code {
			t.Errorf("%s: detail %q, code %d", name, got.Detail, got.Code)
		}
		got.Detail, got.Code = "", 0
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
		}
	}
}

func TestInfrastructure(t *testing.T) {
	for name, f := range classified {
		want := map[string]bool{
			"dns": true, "refused": true, "credentials": true, "timeout": true, "offline": true, "offline-wheel": true,
			"disk-cache": true, "disk-target": true, "cache-read-only": true, "file-limit": true,
		}[name]
		if f.Infrastructure() != want {
			t.Errorf("%s: infrastructure %t, want %t", name, !want, want)
		}
	}
}

func TestClassifyNothing(t *testing.T) {
	f := Classify("", 1)
	if f.Class != Other || f.Name != "" || f.Infrastructure() {
		t.Errorf("%+v", f)
	}
}

// A message of another version of uv, or one made by a hostile package's
// build, must neither break the reader nor give names that are no names.
func FuzzClassify(f *testing.F) {
	for name := range classified {
		text, code := recorded(f, name)
		f.Add(text, code)
	}
	f.Fuzz(func(t *testing.T, text string, code int) {
		got := Classify(text, code)
		if len(got.Detail) > 500 || got.Class == "" {
			t.Fatalf("%+v", got)
		}
		for _, n := range append(got.Names, got.Name) {
			if strings.ContainsAny(n, " \n`[]") {
				t.Fatalf("name %q", n)
			}
		}
	})
}
