package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/triage"
)

// TestSearchJSONDocumented runs the commands of the search and looks for each
// field that they print in docs/json.md.
func TestSearchJSONDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(doc), "## The search\n")
	if !found {
		t.Fatal("docs/json.md has no section on the search")
	}
	known := map[string]bool{}
	for _, m := range regexp.MustCompile("`(?:[a-z_]+\\[\\]\\.)?([a-z0-9_]+)`").FindAllStringSubmatch(text, -1) {
		known[m[1]] = true
	}
	dir := madeProject(t)
	t.Setenv("REPGEN_CACHE_DIR", t.TempDir())
	seen := map[string]bool{}
	for _, args := range [][]string{
		{"index", dir},
		{"index", filepath.Join(dir, "nowhere")},
		{"search", dir, "--report", filepath.Join(dir, "report.md")},
		{"search", dir, "--report", filepath.Join(dir, "report.md"), "--context"},
		{"models", "list"},
		{"models", "pull", "--offline", "default"},
		{"models", "verify"},
	} {
		var out bytes.Buffer
		Main(append(args, "--json"), strings.NewReader(""), &out, new(bytes.Buffer))
		var v any
		if err := json.Unmarshal(out.Bytes(), &v); err != nil {
			t.Fatalf("%v: %v in %q", args, err, out.String())
		}
		for _, name := range fields(v, nil) {
			seen[name] = true
			if !known[name] {
				t.Errorf("%v prints %q, which docs/json.md does not name", args, name)
			}
		}
	}
	for _, name := range []string{"loop", "dependencies", "through", "frames", "exception", "test_files", "decorators", "doc", "skipped", "notices", "error", "problem"} {
		if !seen[name] {
			t.Errorf("nothing printed %q: the made project lost it", name)
		}
	}
}

// fields are the names in an object, those of maps by file or reason left out.
func fields(v any, names []string) []string {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			names = append(names, name)
			if name != "members" && name != "sources" {
				names = fields(inner, names)
			}
		}
	case []any:
		for _, inner := range v {
			names = fields(inner, names)
		}
	}
	return names
}

// madeProject has one of everything that the search can print.
func madeProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"pond/__init__.py":       "from .loss import squared\n",
		"pond/loss.py":           "def squared(a):\n    \"\"\"Square it.\"\"\"\n    return a * a\n",
		"pond/net.py":            "from . import squared\nimport functools\n\n\n@functools.cache\ndef fit(model, data, optimizer):\n    for batch in data:\n        optimizer.zero_grad()\n        loss = squared(model(batch))\n        loss.backward()\n        optimizer.step()\n",
		"tests/test_net.py":      "from pond.net import fit\n\n\ndef test_fit():\n    fit(None, [], None)\n",
		"pond/made_pb2.py":       "x = 1\n",
		"pond/node_modules/a.py": "x = 1\n",
		"report.md":              "# Training fails in `fit`\n\nThe loss of the batch is wrong in pond/net.py.\n\n```\nTraceback (most recent call last):\n  File \"run.py\", line 3, in <module>\n    fit(model, data, optimizer)\n  File \"/site-packages/pond/net.py\", line 9, in fit\n    loss = squared(model(batch))\nTypeError: no such batch\n```\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestResultJSONDocumented looks for each field of the schema in docs/json.md.
func TestResultJSONDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct{ Properties map[string]any }
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	own := append(properties(schema.Properties["model"]), properties(schema.Properties["cost"])...)
	for name := range schema.Properties {
		own = append(own, name)
	}
	for _, name := range own {
		if !bytes.Contains(doc, []byte("`"+name+"`")) {
			t.Errorf("docs/json.md does not name %q", name)
		}
	}
}

// TestVerificationDocumented does so for what verify prints.
func TestVerificationDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(doc), "`repgen verify --json`")
	text, _, _ = strings.Cut(text, "\n## ")
	for _, v := range []any{verification{}, bundled{}, proof.Ran{}, proof.Difference{}} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !strings.Contains(text, "`"+name+"`") {
				t.Errorf("%T has %q, which docs/json.md does not name", v, name)
			}
		}
	}
}

// properties are the names of an object's schema, inner objects included.
func properties(schema any) []string {
	object, ok := schema.(map[string]any)
	if !ok {
		return nil
	}
	inner, ok := object["properties"].(map[string]any)
	if !ok {
		return nil
	}
	var names []string
	for name, s := range inner {
		names = append(append(names, name), properties(s)...)
	}
	return names
}

// TestOtherJSONDocumented looks for each field of the smaller objects.
func TestOtherJSONDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(doc), "## The other commands\n")
	text, _, found := strings.Cut(text, "\n## ")
	if !found {
		t.Fatal("docs/json.md has no section on the other commands")
	}
	for _, v := range []any{triage.Decision{}, triage.Fact{}, environmentView{}, explanation{}, pin{}, environment.Asked{}, check{}} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name != "" && !strings.Contains(text, "`"+name+"`") {
				t.Errorf("%T has %q, which docs/json.md does not name", v, name)
			}
		}
	}
}
