package servers

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// localVar names a server that is running already, by its base URL.
const localVar = "REPGEN_TEST_LLM_URL"

// localContext are the tokens that the local model reads, prompt and answer
// together (scripts/llm-server.py).
const localContext = 2048

// LocalContext is the size of Local's context in tokens.
func LocalContext() int { return localContext }

// Local starts a real small model behind a real server and gives its base URL.
// Only under REPGEN_REAL=1, where a server that does not start is a failure. It
// ends with the test, also when the test is killed: it lives on our standard
// input.
func Local(t testing.TB) string {
	t.Helper()
	if os.Getenv("REPGEN_REAL") != "1" {
		t.Skip("a real model is for REPGEN_REAL=1")
	}
	if url := os.Getenv(localVar); url != "" {
		return url
	}
	cmd := exec.Command("python3", filepath.Join(moduleRoot(t), "scripts", "llm-server.py"))
	var log bytes.Buffer
	cmd.Stderr = &log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// Ten minutes: the first time, a hundred megabytes are fetched.
	patience := time.AfterFunc(10*time.Minute, func() { _ = cmd.Process.Kill() })
	url, err := bufio.NewReader(stdout).ReadString('\n')
	patience.Stop()
	stop := func() { err = errors.Join(err, stdin.Close(), cmd.Wait()) }
	if err != nil {
		stop()
		t.Fatalf("the local model does not start: %v\n%s", err, log.Bytes())
	}
	t.Cleanup(func() {
		killer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		defer killer.Stop()
		if stop(); err != nil {
			t.Errorf("the local model did not end: %v\n%s", err, log.Bytes())
		}
	})
	return strings.TrimSpace(url)
}

// moduleRoot is the folder of go.mod.
func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("no go.mod above the test")
	return ""
}
