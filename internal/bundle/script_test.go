package bundle

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// withMetadata are scripts that bring PEP 723 metadata of their own, or something
// like it.
var withMetadata = map[string]string{
	"a block of its own":        "# /// script\n# requires-python = \">=3.99\"\n# dependencies = [\"evil\"]\n# ///\nprint(\"ran\")\n",
	"the end of ours":           "# ///\nprint(\"ran\")\n",
	"a block further below":     "import os\n# /// script\n# dependencies = [\"evil\"]\n# ///\nprint(\"ran\")\n",
	"comments below ours":       "# dependencies = [\n# ]\n# [tool.uv]\nprint(\"ran\")\n",
	"two blocks":                "# /// script\n# ///\n\n# /// script\n# ///\nprint(\"ran\")\n",
	"a block set aside already": "#  /// script\n#  ///\n#   /// script\nprint(\"ran\")\n",
	"a block of another kind":   "# /// tool\n# x = 1\n# ///\nprint(\"ran\")\n",
	"nothing":                   "print(\"ran\")\n",
}

// TestMetadataOfTheScript: the bundle's script has one block of metadata, ours,
// and gives the reporter's script back byte for byte.
func TestMetadataOfTheScript(t *testing.T) {
	for name, script := range withMetadata {
		c := sample(t)
		c.Candidate.Script = script
		text := header(c, nil) + setAside(script)
		if n := len(blocks(text)); n != 1 {
			t.Errorf("%s: %d blocks in\n%s", name, n, text)
		}
		if strings.Contains(strings.Join(blocks(text), ""), "ran") || strings.Contains(strings.Join(blocks(text), ""), "evil") {
			t.Errorf("%s: the block holds words of the script:\n%s", name, text)
		}
		for _, ends := range []string{"\n", "\r\n"} {
			if got, ok := Script(strings.ReplaceAll(text, "\n", ends)); !ok || got != script {
				t.Errorf("%s: came back as %q", name, got)
			}
		}
	}
	for _, text := range []string{"print(1)\n", "import evil\n" + endOfHeader + "print(1)\n"} {
		if got, ok := Script(text); ok {
			t.Errorf("%q is taken for a bundle's script: %q", text, got)
		}
	}
}

// blocks are the blocks of metadata, as PEP 723 reads them: from a line that
// opens one to the last line that can end it with comments between.
func blocks(text string) []string {
	var found []string
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if !strings.HasPrefix(lines[i], "# /// ") {
			continue
		}
		end := 0
		for j := i + 1; j < len(lines) && (lines[j] == "#" || strings.HasPrefix(lines[j], "# ")); j++ {
			if lines[j] == "# ///" {
				end = j
			}
		}
		if end > 0 {
			found, i = append(found, strings.Join(lines[i:end+1], "\n")), end
		}
	}
	return found
}

// TestStringsKeepTheirMetadata: what only stands in a string is not touched.
func TestStringsKeepTheirMetadata(t *testing.T) {
	script := "print(\"\"\"\n# /// script\n# ///\n\"\"\")\n"
	if got := setAside(script); got != script {
		t.Errorf("%q", got)
	}
}

func TestSetAsideAndBack(t *testing.T) {
	line := rapid.SampledFrom([]string{"# /// script", "#  /// script", "#   ///", "# ///", "#///", "x = 1 # /// script", "    # ///", "\"\"\"", "# words", "x = '''", "def f(:", "", "print(1)", "# ///\\", "\r"})
	rapid.Check(t, func(t *rapid.T) {
		script := strings.Join(rapid.SliceOf(line).Draw(t, "lines"), "\n")
		if got := putBack(setAside(script)); got != script {
			// Where the two cannot be told apart the script stays as it is, and so must its end.
			if setAside(script) != script {
				t.Fatalf("%q came back as %q", script, got)
			}
		}
	})
}

// TestRealMetadata: the real uv runs each of them, with our block and no other.
func TestRealMetadata(t *testing.T) {
	uv, python, version := stranger(t)
	for name, script := range withMetadata {
		c := sample(t)
		c.Outcome.Lock.Packages, c.Outcome.Lock.Python = nil, version
		path := filepath.Join(t.TempDir(), "reproduce.py")
		if err := os.WriteFile(path, []byte(header(c, nil)+setAside(script)), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(uv, "run", "--offline", "--python", python, path).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "ran" {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
