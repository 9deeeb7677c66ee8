package cli

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sort"
	"strings"
	"testing"
)

// wheel is one made-up release on a made-up index.
type wheel struct {
	name, version, uploaded string
	requires                []string
	files                   map[string]string // path -> content
	misrecorded             string            // a file that RECORD gives a wrong size for
}

// index serves wheels by the simple JSON interface, as the real one does.
type index struct {
	*httptest.Server
	wheels map[string][]wheel
	data   map[string][]byte
}

func newIndex(t testing.TB, wheels ...wheel) *index {
	t.Helper()
	x := &index{wheels: map[string][]wheel{}, data: map[string][]byte{}}
	for _, w := range wheels {
		x.wheels[w.name] = append(x.wheels[w.name], w)
		x.data[w.filename()] = w.build(t)
	}
	x.Server = httptest.NewServer(x)
	t.Cleanup(x.Close)
	return x
}

func (w wheel) filename() string { return fmt.Sprintf("%s-%s-py3-none-any.whl", w.name, w.version) }

func (w wheel) metadata() string {
	m := fmt.Sprintf("Metadata-Version: 2.1\nName: %s\nVersion: %s\n", w.name, w.version)
	for _, r := range w.requires {
		m += "Requires-Dist: " + r + "\n"
	}
	return m
}

// build packs the wheel, with a RECORD as installers want it.
func (w wheel) build(t testing.TB) []byte {
	t.Helper()
	info := fmt.Sprintf("%s-%s.dist-info/", w.name, w.version)
	files := map[string]string{
		info + "METADATA": w.metadata(),
		info + "WHEEL":    "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
	}
	for name, content := range w.files {
		files[name] = content
	}
	names := make([]string, 0, len(files))
	for n := range files {
		names = append(names, n)
	}
	sort.Strings(names)
	record := ""
	for _, n := range names {
		sum, size := sha256.Sum256([]byte(files[n])), len(files[n])
		if n == w.misrecorded {
			size++
		}
		record += fmt.Sprintf("%s,sha256=%s,%d\n", n, base64.RawURLEncoding.EncodeToString(sum[:]), size)
	}
	files[info+"RECORD"] = record + info + "RECORD,,\n"
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for _, n := range append(names, info+"RECORD") {
		f, err := z.Create(n)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(files[n])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func (x *index) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) != 2 {
		http.NotFound(w, r)
		return
	}
	if parts[0] == "files" {
		x.serveFile(w, r, parts[1])
		return
	}
	list, ok := x.wheels[parts[1]]
	if !ok {
		http.NotFound(w, r)
		return
	}
	type file struct {
		Filename       string            `json:"filename"`
		URL            string            `json:"url"`
		Hashes         map[string]string `json:"hashes"`
		RequiresPython string            `json:"requires-python"`
		UploadTime     string            `json:"upload-time"`
		Size           int               `json:"size"`
		Yanked         bool              `json:"yanked"`
	}
	var files []file
	var versions []string
	for _, wh := range list {
		data := x.data[wh.filename()]
		sum := sha256.Sum256(data)
		files = append(files, file{wh.filename(), x.URL + "/files/" + wh.filename(), map[string]string{"sha256": hex.EncodeToString(sum[:])}, ">=3.6", wh.uploaded, len(data), false})
		versions = append(versions, wh.version)
	}
	w.Header().Set("Content-Type", "application/vnd.pypi.simple.v1+json")
	_ = json.NewEncoder(w).Encode(map[string]any{"meta": map[string]string{"api-version": "1.1"}, "name": parts[1], "versions": versions, "files": files})
}

func (x *index) serveFile(w http.ResponseWriter, r *http.Request, name string) {
	if wheelName, ok := strings.CutSuffix(name, ".metadata"); ok {
		for _, list := range x.wheels {
			for _, wh := range list {
				if wh.filename() == wheelName {
					_, _ = w.Write([]byte(wh.metadata()))
					return
				}
			}
		}
	}
	data, ok := x.data[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	http.ServeContent(w, r, name, modified, bytes.NewReader(data))
}
