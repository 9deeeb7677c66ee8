package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConfiguredCommandsFolder: a command of the configuration is not looked for in
// the folder that one stands in.
func TestConfiguredCommandsFolder(t *testing.T) {
	t.Setenv("REPGEN_CACHE_DIR", t.TempDir())
	home, checkout := t.TempDir(), t.TempDir()
	answer := "#!/bin/sh\ncat >/dev/null\ntouch \"$0.ran\"\necho '{\"text\": \"ready\"}'\n"
	for _, dir := range []string{home, checkout} {
		for _, name := range []string{"model.sh", "echo.py"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(answer), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv(configVar, filepath.Join(home, "config.toml"))
	t.Chdir(checkout)
	for command, program := range map[string]string{"./model.sh": "model.sh", "sh ./echo.py": "echo.py", "sh echo.py": "echo.py"} {
		if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte("[llm.mine]\nbackend = \"exec\"\ncommand = \""+command+"\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errOut bytes.Buffer
		Main([]string{"doctor", "--llm", "mine"}, strings.NewReader(""), &out, &errOut)
		ran, err := filepath.Glob(filepath.Join(home, "*.ran"))
		if err != nil || len(ran) != 1 || filepath.Base(ran[0]) != program+".ran" {
			t.Errorf("%s: %v, %v\n%s%s", command, ran, err, out.String(), errOut.String())
		}
		if ran, _ := filepath.Glob(filepath.Join(checkout, "*.ran")); len(ran) > 0 {
			t.Errorf("%s: the checkout's program ran", command)
		}
		for _, path := range ran {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}
