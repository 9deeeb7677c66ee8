package pypi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/repgen/repgen/internal/pydist"
)

// rawListing is PEP 691's answer, as far as it is used.
type rawListing struct {
	Files []rawFile `json:"files"`
}

type rawFile struct {
	Filename       string            `json:"filename"`
	URL            string            `json:"url"`
	Hashes         map[string]string `json:"hashes"`
	RequiresPython *string           `json:"requires-python"`
	Size           int64             `json:"size"`
	UploadTime     string            `json:"upload-time"`
	Yanked         json.RawMessage   `json:"yanked"` // false, true or a reason
}

// parseJSON reads a PEP 691 listing. Files that are neither wheels nor source
// packages, or that carry no usable version, are left out.
func parseJSON(name string, base *url.URL, body []byte) ([]File, error) {
	var raw rawListing
	if err := json.Unmarshal(body, &raw); err != nil {
		return nil, fmt.Errorf("read the listing of %s: %w", name, err)
	}
	files := make([]File, 0, len(raw.Files))
	for _, r := range raw.Files {
		f, ok := newFile(name, r.Filename, base, r.URL)
		if !ok {
			continue
		}
		if h := r.Hashes["sha256"]; h != "" {
			f.Hash = "sha256:" + strings.ToLower(h)
		}
		if r.RequiresPython != nil {
			f.RequiresPython = *r.RequiresPython
		}
		if t, err := time.Parse(time.RFC3339, r.UploadTime); err == nil {
			f.Uploaded = t.UTC()
		}
		f.Size = r.Size
		f.Yanked = yankReason(r.Yanked)
		files = append(files, f)
	}
	return files, nil
}

// yankReason reads PEP 691's yanked: a boolean or the reason.
func yankReason(raw json.RawMessage) string {
	var reason string
	if json.Unmarshal(raw, &reason) == nil && reason != "" {
		return reason
	}
	var flag bool
	if json.Unmarshal(raw, &flag) == nil && flag {
		return "yanked"
	}
	return ""
}

// newFile fills in what the file name and the link say.
func newFile(project, filename string, base *url.URL, link string) (File, bool) {
	ref, err := url.Parse(link)
	if err != nil || filename == "" || strings.ContainsAny(filename, "/\\\x00\n") {
		return File{}, false
	}
	abs := base.ResolveReference(ref)
	if abs.Scheme != "https" && abs.Scheme != "http" {
		return File{}, false
	}
	abs.Fragment = ""
	f := File{Filename: filename, URL: abs.String()}
	version := ""
	if w, ok := parseWheel(filename); ok {
		version = w.version
	} else if v, ok := parseSdist(project, filename); ok {
		version, f.Sdist = v, true
	}
	v, err := pydist.ParseVersion(strings.ReplaceAll(version, "_", "-"))
	if err != nil {
		return File{}, false
	}
	f.Version = v.String()
	return f, true
}

// errNotListing: the page has no links of files at all.
var errNotListing = errors.New("the page is no package listing")

// parseHTML reads a PEP 503 page, which some indexes offer alone: no upload
// times there.
func parseHTML(name string, base *url.URL, body []byte) ([]File, error) {
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("read the listing of %s: %w", name, err)
	}
	var files []File
	links := 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "a" {
			continue
		}
		links++
		if f, ok := anchorFile(name, base, n); ok {
			files = append(files, f)
		}
	}
	if links == 0 && !bytes.Contains(bytes.ToLower(body), []byte("links for")) {
		return nil, fmt.Errorf("read the listing of %s: %w", name, errNotListing)
	}
	return files, nil
}

// anchorFile reads one link of a PEP 503 page.
func anchorFile(name string, base *url.URL, n *html.Node) (File, bool) {
	attrs := map[string]string{}
	yanked := false
	for _, a := range n.Attr {
		attrs[a.Key] = a.Val
		yanked = yanked || a.Key == "data-yanked"
	}
	ref, err := url.Parse(attrs["href"])
	if err != nil {
		return File{}, false
	}
	filename := ref.Path[strings.LastIndexByte(ref.Path, '/')+1:]
	f, ok := newFile(name, filename, base, attrs["href"])
	if !ok {
		return File{}, false
	}
	if h, found := strings.CutPrefix(ref.Fragment, "sha256="); found {
		f.Hash = "sha256:" + strings.ToLower(h)
	}
	f.RequiresPython = attrs["data-requires-python"]
	if yanked {
		f.Yanked = attrs["data-yanked"]
		if f.Yanked == "" {
			f.Yanked = "yanked"
		}
	}
	return f, true
}
