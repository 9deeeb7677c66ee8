package pypi

import (
	"net/url"
	"os"
	"testing"
	"time"
)

func base(t testing.TB) *url.URL {
	t.Helper()
	u, err := url.Parse("https://user:secret@index.invalid/simple/termcolor/")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestParseJSON(t *testing.T) {
	files, err := parseJSON("termcolor", base(t), read(t, "testdata/termcolor.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 5 {
		t.Fatalf("%d files, want the 5 usable ones: %+v", len(files), files)
	}
	first := files[0]
	if first.Version != "1.1.0" || !first.Sdist || first.Size != 3861 ||
		first.Hash != "sha256:1d6d69ce66211143803fbc56652b41d73b4a400a2891d7bf7a1cdf4c02de613b" ||
		first.URL != "https://user:secret@index.invalid/files/termcolor-1.1.0.tar.gz" ||
		!first.Uploaded.Equal(time.Date(2011, 1, 13, 23, 48, 51, 0, time.UTC)) {
		t.Errorf("first file: %+v", first)
	}
	if files[1].Yanked != "yanked" || files[2].Yanked != "broken" || files[4].Yanked != "" {
		t.Errorf("yanks: %q %q %q", files[1].Yanked, files[2].Yanked, files[4].Yanked)
	}
	if files[2].URL != "https://files.invalid/termcolor-2.0.0-py3-none-any.whl" {
		t.Errorf("a fragment stayed: %s", files[2].URL)
	}
}

func TestParseHTML(t *testing.T) {
	files, err := parseHTML("termcolor", base(t), read(t, "testdata/page.html"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2 {
		t.Fatalf("%d files: %+v", len(files), files)
	}
	if files[0].Hash != "sha256:abcd" || !files[0].Sdist || !files[0].Uploaded.IsZero() {
		t.Errorf("sdist: %+v", files[0])
	}
	if files[1].RequiresPython != ">=3.8" || files[1].Yanked != "yanked" {
		t.Errorf("wheel: %+v", files[1])
	}
	if _, err := parseHTML("termcolor", base(t), []byte("<html><h1>Sign in</h1></html>")); err == nil {
		t.Error("a login page is taken for an empty project")
	}
}

func project(t testing.TB) *Project {
	t.Helper()
	files, err := parseJSON("termcolor", base(t), read(t, "testdata/termcolor.json"))
	if err != nil {
		t.Fatal(err)
	}
	return &Project{Name: "termcolor", Files: files}
}

func TestReleases(t *testing.T) {
	got := project(t).Releases("3.7")
	want := []Release{
		{Version: "1.1.0", Uploaded: time.Date(2011, 1, 13, 23, 48, 51, 0, time.UTC), Sdist: true},
		{Version: "2.0.0rc1", Uploaded: time.Date(2022, 9, 10, 0, 0, 0, 0, time.UTC), Yanked: "yanked", Pre: true, Wheel: true},
		{Version: "2.0.0", Uploaded: time.Date(2022, 9, 11, 9, 0, 0, 0, time.UTC), Yanked: "broken", Wheel: true, Sdist: true},
		{Version: "2.4.0", Uploaded: time.Date(2023, 12, 1, 0, 0, 0, 0, time.UTC)},
	}
	if len(got) != len(want) {
		t.Fatalf("%d releases: %+v", len(got), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("release %d: %+v, want %+v", i, got[i], want[i])
		}
	}
	if all := project(t).Releases("nonsense"); len(all) != 4 || all[3].Wheel {
		t.Errorf("an unknown Python lists versions without files: %+v", all)
	}
}

func TestUploadedAndOf(t *testing.T) {
	p := project(t)
	if got := p.Uploaded("2.0"); !got.Equal(time.Date(2022, 9, 11, 9, 0, 0, 0, time.UTC)) {
		t.Errorf("2.0 is 2.0.0: %v", got)
	}
	if got := p.Uploaded("3.0"); !got.IsZero() {
		t.Errorf("no such version: %v", got)
	}
	if n := len(p.Of("2.0.0")); n != 2 {
		t.Errorf("%d files of 2.0.0", n)
	}
	if n := len(p.Of("latest")); n != 0 {
		t.Errorf("%d files of a version that is none", n)
	}
}

func FuzzParseJSON(f *testing.F) {
	f.Add(read(f, "testdata/termcolor.json"))
	f.Add([]byte(`{"files":[{"filename":"a-1-py3-none-any.whl","url":":","yanked":{}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) { checkFiles(t, parseJSON, body) })
}

func FuzzParseHTML(f *testing.F) {
	f.Add(read(f, "testdata/page.html"))
	f.Fuzz(func(t *testing.T, body []byte) { checkFiles(t, parseHTML, body) })
}

func checkFiles(t *testing.T, parse func(string, *url.URL, []byte) ([]File, error), body []byte) {
	files, err := parse("termcolor", base(t), body)
	if err != nil {
		return
	}
	for _, f := range files {
		u, err := url.Parse(f.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			t.Fatalf("file with address %q", f.URL)
		}
		if f.Version == "" || f.Filename == "" {
			t.Fatalf("file without name or version: %+v", f)
		}
	}
	_ = (&Project{Files: files}).Releases("3.11")
}
