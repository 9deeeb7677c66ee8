package bundle

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// forged edits the evidence of a bundle and makes the manifest fit it.
func forged(t *testing.T, edit func(outcome map[string]any)) string {
	t.Helper()
	dir, _ := write(t)
	change(t, dir, fileEvidence, func(ev map[string]any) { edit(ev["outcome"].(map[string]any)) })
	return dir
}

func control(o map[string]any) (group, lock map[string]any) {
	groups := o["evidence"].(map[string]any)["groups"].([]any)
	return groups[1].(map[string]any), o["locks"].([]any)[1].(map[string]any)
}

// TestForgedClaims: a manifest that fits does not make evidence true which its
// own script, locks and variables contradict.
func TestForgedClaims(t *testing.T) {
	other := map[string]any{"name": "evil", "version": "6.6", "word": "reporter", "hashes": []string{someHash}}
	for name, c := range map[string]struct {
		dir  func(t *testing.T) string
		want string
	}{
		"a label that the lock does not have": {func(t *testing.T) string {
			return forged(t, func(o map[string]any) {
				g, _ := control(o)
				g["version"] = "9.9"
			})
		}, "ran with lib 1.3"},
		"a list that is not installed": {func(t *testing.T) string {
			return forged(t, func(o map[string]any) {
				_, l := control(o)
				l["text"] = pinText("lib", "6.6")
			})
		}, "lists lib==1.3"},
		"an installed package that is not listed": {func(t *testing.T) string {
			return forged(t, func(o map[string]any) {
				_, l := control(o)
				l["text"] = l["text"].(string) + pinText("evil", "6.6")
			})
		}, "installs evil==6.6"},
		"a package that moved unsaid": {func(t *testing.T) string {
			return forged(t, func(o map[string]any) {
				_, l := control(o)
				l["packages"] = append(l["packages"].([]any), other)
				l["text"] = l["text"].(string) + pinText("evil", "6.6")
			})
		}, "also moved evil"},
		"a variable of the sandbox": {func(t *testing.T) string {
			dir, _ := write(t)
			change(t, dir, fileCandidate, func(c map[string]any) { c["env"] = map[string]any{"LD_PRELOAD": "/box/x.so"} })
			return dir
		}, `candidate.json: sets "LD_PRELOAD"`},
		"a variable in a lock": {func(t *testing.T) string {
			return forged(t, func(o map[string]any) {
				_, l := control(o)
				l["env"] = map[string]any{"PYTHONPATH": "/box"}
			})
		}, `evidence.json: sets "PYTHONPATH"`},
		"a script that is refused": {func(t *testing.T) string {
			dir, _ := write(t)
			path := filepath.Join(dir, fileScript)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			put(t, dir, fileScript, string(data)+"if lib.__version__ < '1.3':\n    print('sum: 10')\n")
			seal(t, dir)
			return dir
		}, "recorded executions say lead"},
		"an agent's script": {func(t *testing.T) string {
			dir, _ := write(t)
			change(t, dir, fileCandidate, func(c map[string]any) { c["origin"] = "given" })
			path := filepath.Join(dir, fileScript)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			put(t, dir, fileScript, string(data)+"x = 1 if hasattr(lib, 'old') else 2\n")
			seal(t, dir)
			return dir
		}, "recorded executions say lead"},
	} {
		t.Run(name, func(t *testing.T) {
			_, tampered, err := Read(c.dir(t))
			if said := fmt.Sprint(tampered, err); !strings.Contains(said, c.want) {
				t.Errorf("it says %s, want %q", said, c.want)
			}
		})
	}
}

// TestMovedAndSaid: what a control had to move, and says so, is no forgery.
func TestMovedAndSaid(t *testing.T) {
	dir := forged(t, func(o map[string]any) {
		g, l := control(o)
		g["moved"] = []string{"dep 1.0 -> 2.0"}
		l["packages"] = append(l["packages"].([]any), map[string]any{"name": "dep", "version": "2.0", "word": "resolved", "hashes": []string{someHash}})
		l["text"] = l["text"].(string) + pinText("dep", "2.0")
	})
	if _, tampered, err := Read(dir); len(tampered) > 0 || err != nil {
		t.Errorf("%v %v", tampered, err)
	}
}
