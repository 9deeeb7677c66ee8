package uv

import (
	"os"
	"reflect"
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
		text := FormatLock(pins)
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
