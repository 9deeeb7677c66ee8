package uv

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseLock(t *testing.T) {
	text, err := os.ReadFile("testdata/lock.in")
	if err != nil {
		t.Fatal(err)
	}
	got := ParseLock(string(text))
	h := "sha256:" + strings.Repeat("a", 64)
	want := []Pinned{
		{Name: "jax", Version: "0.6.2", Hashes: []string{h, "sha256:" + strings.Repeat("b", 64)}, Via: []string{"requirement"}},
		{Name: "ml-dtypes", Version: "0.5.1", Hashes: []string{h}, Via: []string{"jax", "jaxlib"}},
		{Name: "numpy", Version: "2.3.0", Hashes: []string{h}, Via: []string{"constraint", "jax"}},
		{Name: "torch", Version: "2.0.1+cpu"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
}

func TestFormatLockRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 5).Draw(t, "n")
		var pins []Pinned
		for range n {
			p := Pinned{
				Name:    rapid.StringMatching(`[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,5})?`).Draw(t, "name"),
				Version: rapid.StringMatching(`[0-9]{1,3}(\.[0-9]{1,3}){0,2}(rc[0-9])?(\+cpu)?`).Draw(t, "version"),
			}
			for range rapid.IntRange(0, 3).Draw(t, "hashes") {
				p.Hashes = append(p.Hashes, "sha256:"+rapid.StringMatching(`[0-9a-f]{64}`).Draw(t, "hash"))
			}
			pins = append(pins, p)
		}
		text, err := FormatLock(pins)
		if err != nil {
			t.Fatal(err)
		}
		if got := ParseLock(text); !reflect.DeepEqual(got, pins) {
			t.Fatalf("\n got %+v\nwant %+v\ntext %s", got, pins, text)
		}
		if strings.Contains(text, "://") || strings.Contains(text, "#") {
			t.Fatalf("an address or a comment in %q", text)
		}
	})
}

func TestPin(t *testing.T) {
	pins := ParseLock(pin)
	if len(pins) != 1 || pins[0].Name != "uv" || len(pins[0].Hashes) < 4 || !newEnough(pins[0].Version) {
		t.Errorf("the pinned uv: %+v", pins)
	}
	if key := pinKey(); !strings.HasPrefix(key, "uv-") || strings.Contains(key, ".") {
		t.Errorf("key %q", key)
	}
}

func FuzzParseLock(f *testing.F) {
	f.Add("a==1 \\\n    --hash=sha256:" + strings.Repeat("0", 64) + "\n    # via b")
	f.Add("# via\n#   x\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range ParseLock(text) {
			if p.Name == "" || p.Version == "" || strings.ContainsAny(p.Version, " \n;") {
				t.Fatalf("%+v", p)
			}
		}
	})
}

// TestNothingButPins: whatever is no name, version or hash ends the writing of
// a lock; an installer would take it for an option, an address or a file.
func TestNothingButPins(t *testing.T) {
	good := Pinned{Name: "torch", Version: "1!2.0.1rc1.post2.dev3+cpu.cxx11", Hashes: []string{"sha256:" + strings.Repeat("0f", 32)}}
	if _, err := FormatLock([]Pinned{good}); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*Pinned){
		"a file":                 func(p *Pinned) { p.Name = "-r /etc/passwd\nsix" },
		"an option":              func(p *Pinned) { p.Name = "--index-url" },
		"an address":             func(p *Pinned) { p.Name = "six @ http://127.0.0.1:1/six-1.0-py3-none-any.whl" },
		"a path":                 func(p *Pinned) { p.Name = "../six" },
		"no name":                func(p *Pinned) { p.Name = "" },
		"a name with extras":     func(p *Pinned) { p.Name = "six[all]" },
		"a name not normalised":  func(p *Pinned) { p.Name = "Six" },
		"a name without end":     func(p *Pinned) { p.Name = strings.Repeat("a", 10_000) },
		"a line after the name":  func(p *Pinned) { p.Name = "six\n-e ." },
		"no version":             func(p *Pinned) { p.Version = "" },
		"an option for version":  func(p *Pinned) { p.Version = "-1" },
		"a line after it":        func(p *Pinned) { p.Version = "1.0\n--extra-index-url http://127.0.0.1:1" },
		"an option after it":     func(p *Pinned) { p.Version = "1.0 --index-url=x" },
		"a marker":               func(p *Pinned) { p.Version = "1.0;python_version<'3'" },
		"a continued line":       func(p *Pinned) { p.Version = "1.0\\" },
		"a carriage return":      func(p *Pinned) { p.Version = "1.0\r" },
		"a comment":              func(p *Pinned) { p.Version = "1.0#x" },
		"a variable":             func(p *Pinned) { p.Version = "${HOME}" },
		"no hash":                func(p *Pinned) { p.Hashes = []string{""} },
		"a short hash":           func(p *Pinned) { p.Hashes = []string{"sha256:00"} },
		"another kind of hash":   func(p *Pinned) { p.Hashes = []string{"md5:" + strings.Repeat("0", 32)} },
		"an option for hash":     func(p *Pinned) { p.Hashes[0] += " --index-url=x" },
		"a line after the hash":  func(p *Pinned) { p.Hashes[0] += "\nsix" },
		"a hash in upper case":   func(p *Pinned) { p.Hashes[0] = strings.ToUpper(p.Hashes[0]) },
		"odd in the second only": func(p *Pinned) { p.Hashes = append(p.Hashes, "x") },
	} {
		bad := good
		bad.Hashes = append([]string(nil), good.Hashes...)
		change(&bad)
		if text, err := FormatLock([]Pinned{good, bad}); err == nil || text != "" {
			t.Errorf("%s is written: %q", what, text)
		}
	}
}

// FuzzFormatLock: what is written is pins with hashes and nothing else, and read
// back as what was written.
func FuzzFormatLock(f *testing.F) {
	f.Add("six", "1.0", "sha256:"+strings.Repeat("0", 64))
	f.Add("-r /etc/passwd\nsix", "1.0\n", "")
	f.Add("six @ http://x", "1.0;x", "sha256:00")
	line := regexp.MustCompile(`^([a-z0-9][a-z0-9-]*==[A-Za-z0-9][A-Za-z0-9.!+_-]*|    --hash=sha256:[0-9a-f]{64})( \\)?$`)
	f.Fuzz(func(t *testing.T, name, version, hash string) {
		pins := []Pinned{{Name: name, Version: version, Hashes: []string{hash}}, {Name: name, Version: version}}
		text, err := FormatLock(pins)
		if err != nil {
			return
		}
		for l := range strings.Lines(text) {
			if !line.MatchString(strings.TrimSuffix(l, "\n")) {
				t.Fatalf("the line %q", l)
			}
		}
		if got := ParseLock(text); !reflect.DeepEqual(got, pins) {
			t.Fatalf("%+v was written, %+v is read", pins, got)
		}
	})
}
