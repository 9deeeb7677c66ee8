package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest/servers"
)

// TestModels runs the command line with models behind local servers of both
// protocols: GOOD_OPENAI and GOOD_ANTHROPIC want TEST_KEY, BAD_OPENAI repeats
// any key in every form, BUSY answers 429 for ever. `nokey FILE...` wants no form
// of the key in the files and below the folders, and at least one of them.
func TestModels(t *testing.T) {
	usage := llm.Usage{InputTokens: 17, OutputTokens: 2}
	urls := map[string]string{}
	for name, o := range map[string]servers.Options{
		"GOOD_OPENAI":    {Protocol: servers.OpenAI, Key: servers.Key, Usage: &usage},
		"GOOD_ANTHROPIC": {Protocol: servers.Anthropic, Key: servers.Key, Usage: &usage},
		"BAD_OPENAI":     {Protocol: servers.OpenAI, Does: servers.EchoesKey},
		"BAD_ANTHROPIC":  {Protocol: servers.Anthropic, Does: servers.EchoesKey},
		"BUSY":           {Protocol: servers.OpenAI, Does: servers.RateLimited, RetryAfter: "1"},
	} {
		urls[name] = servers.New(t, o).URL
	}
	all := commands()
	all["nokey"] = func(ts *testscript.TestScript, neg bool, args []string) {
		for _, a := range args {
			checkNoKey(t, ts, a)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/llm", RequireExplicitExec: true, Cmds: all,
		Setup: func(e *testscript.Env) error {
			for name, url := range urls {
				e.Setenv(name, url)
			}
			e.Setenv("TEST_KEY", servers.Key)
			e.Setenv("REPGEN_CACHE_DIR", filepath.Join(e.WorkDir, "cache"))
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("NO_COLOR", "1")
			return nil
		},
	})
}

func checkNoKey(t *testing.T, ts *testscript.TestScript, name string) {
	if name == "stdout" || name == "stderr" {
		servers.NoKey(t, ts.ReadFile(name)+" ")
		return
	}
	files := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(name), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		servers.NoKey(t, strings.ToValidUTF8(string(data), "?")+" ")
		return err
	}))
	if files == 0 {
		ts.Fatalf("%s holds no file", name)
	}
}
