package exec_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/exec"
	"github.com/repgen/repgen/internal/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shell is a command of one shell script, with its arguments.
func shell(t *testing.T, o exec.Options, script string, args ...string) *exec.Model {
	t.Helper()
	o.Argv = append([]string{"sh", "-c", script, "sh"}, args...)
	m, err := exec.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// asFile keeps an answer, for a script to print.
func asFile(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "answer.json")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const printFile = `cat >/dev/null; cat "$1"`

func open(t *testing.T, b llmtest.Behaviour) llm.Model {
	type failure struct {
		Kind    llm.Kind `json:"kind"`
		Message string   `json:"message"`
	}
	type answer struct {
		Text   string     `json:"text"`
		Model  string     `json:"model"`
		Finish llm.Finish `json:"finish,omitempty"`
		Usage  *llm.Usage `json:"usage,omitempty"`
		Error  *failure   `json:"error,omitempty"`
	}
	switch {
	case b.Hang:
		return shell(t, exec.Options{}, "trap '' TERM; sleep 600 & sleep 600")
	case b.Fail == llm.Crashed:
		return shell(t, exec.Options{}, "exit 3")
	case b.Fail == llm.BadResponse:
		return shell(t, exec.Options{}, "echo garbage")
	case b.Fail != "":
		return shell(t, exec.Options{}, printFile, asFile(t, answer{Error: &failure{b.Fail, "as told"}}))
	}
	a := answer{Text: b.Text, Model: "told", Finish: b.Finish}
	if b.Usage != (llm.Usage{}) {
		a.Usage = &b.Usage
	}
	return shell(t, exec.Options{}, printFile, asFile(t, a))
}

func TestConforms(t *testing.T) { llmtest.Conform(t, open) }

// TestQuestion holds what the command reads, to the byte.
func TestQuestion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "question.json")
	m := shell(t, exec.Options{}, `cat >"$1"; echo '{"text":"x"}'`, path)
	r := llmtest.Request("say \"x\"")
	r.Sample, r.Schema = 3, json.RawMessage(`{"type":"object"}`)
	res, err := m.Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"schema":1,"messages":[{"role":"system","content":"You write scripts."},{"role":"user","content":"say \"x\""}],` +
		`"max_tokens":100,"temperature":0,"json_schema":{"type":"object"}}` + "\n"
	if string(got) != want {
		t.Errorf("got  %swant %s", got, want)
	}
	if res.Model != "sh" || !res.Usage.Estimated {
		t.Errorf("response %+v", res)
	}
	r.Temperature, r.Schema = nil, nil
	if _, err := m.Complete(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if got, err = os.ReadFile(path); err != nil || strings.Contains(string(got), "temperature") || strings.Contains(string(got), "json_schema") {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestFailures(t *testing.T) {
	const key = "sk-0123456789abcdef"
	env := append(os.Environ(), "SOME_API_KEY="+key)
	for name, c := range map[string]struct {
		script  string
		kind    llm.Kind
		why     string
		timeout time.Duration
	}{
		"exit status":       {"echo '{\"text\":\"x\"}'; exit 3", llm.Crashed, "exit status 3", 0},
		"signal":            {"kill -9 $$", llm.Crashed, "signal SIGKILL", 0},
		"standard error":    {"echo one >&2; echo the cause >&2; exit 1", llm.Crashed, "the cause", 0},
		"to stderr only":    {"echo '{\"text\":\"x\"}' >&2", llm.BadResponse, "nothing to its standard output", 0},
		"nothing":           {"true", llm.BadResponse, "nothing", 0},
		"garbage":           {"echo Hello", llm.BadResponse, `"Hello"`, 0},
		"no text":           {`echo '{"answer":"x"}'`, llm.BadResponse, "no JSON object with a text", 0},
		"text is a number":  {`echo '{"text":1}'`, llm.BadResponse, "no JSON object with a text", 0},
		"text is null":      {`echo '{"text":null}'`, llm.BadResponse, "no JSON object with a text", 0},
		"half of it":        {`printf '{"text":"x'`, llm.BadResponse, "no JSON object with a text", 0},
		"an array":          {`echo '[]'`, llm.BadResponse, "no JSON object with a text", 0},
		"too long":          {`while :; do echo 0123456789012345678901234567890123456789; done`, llm.BadResponse, "more than", 0},
		"too slow":          {"echo waiting >&2; sleep 600", llm.Timeout, "waiting", 2 * time.Second},
		"key in stderr":     {`echo "key $SOME_API_KEY" >&2; exit 1`, llm.Crashed, "key [redacted]", 0},
		"key in stdout":     {`echo "key $SOME_API_KEY"`, llm.BadResponse, "key [redacted]", 0},
		"key at the cut":    {`echo "$SOME_API_KEY$(printf '%1490s' x | tr ' ' y)" >&2; exit 1`, llm.Crashed, "yyy", 0},
		"steers a terminal": {`printf '\033[31mred\007' >&2; exit 1`, llm.Crashed, "[31mred", 0},
		"told":              {`echo '{"error":{"kind":"rate_limited","message":"slow down","retry_after":2.5}}'; exit 1`, llm.RateLimited, "slow down", 0},
		"told, unknown":     {`echo '{"error":{"kind":"budget","message":"no"}}'`, llm.Crashed, "no", 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := shell(t, exec.Options{Env: env, Timeout: c.timeout, MaxBytes: 100_000}, c.script)
			_, err := m.Complete(t.Context(), llmtest.Request("x"))
			var failure *llm.Error
			if !errors.As(err, &failure) {
				t.Fatalf("error %v", err)
			}
			if failure.Kind != c.kind || !strings.Contains(failure.Why, c.why) || failure.Next == "" {
				t.Errorf("error %+v", failure)
			}
			for _, part := range []string{key, key[6:], "\x1b", "\a"} {
				if strings.Contains(err.Error(), part) {
					t.Errorf("the error holds %q: %v", part, err)
				}
			}
			if name == "told" && failure.RetryAfter != 2500*time.Millisecond {
				t.Errorf("retry after %s", failure.RetryAfter)
			}
		})
	}
}

func TestTolerates(t *testing.T) {
	for name, c := range map[string]struct {
		script, text string
		usage        llm.Usage
		finish       llm.Finish
	}{
		"a log before": {`echo starting; echo '{"text":"x","usage":{"input_tokens":5,"output_tokens":2}}'`, "x",
			llm.Usage{InputTokens: 5, OutputTokens: 2}, llm.FinishStop},
		"several lines": {`printf '{\n "text": "x",\n "usage": {"input_tokens":5,"output_tokens":2,"more":1}\n}\n'`, "x",
			llm.Usage{InputTokens: 5, OutputTokens: 2}, llm.FinishStop},
		"as long as allowed": {`echo '{"text":"x","usage":{"input_tokens":5,"output_tokens":100}}'`, "x",
			llm.Usage{InputTokens: 5, OutputTokens: 100}, llm.FinishLength},
		"an empty text": {`echo '{"text":"","usage":{"input_tokens":5,"output_tokens":0}}'`, "",
			llm.Usage{InputTokens: 5}, llm.FinishStop},
		"unread input": {`exec <&-; echo '{"text":"x","usage":{"input_tokens":5,"output_tokens":2}}'`, "x",
			llm.Usage{InputTokens: 5, OutputTokens: 2}, llm.FinishStop},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := shell(t, exec.Options{}, c.script).Complete(t.Context(), llmtest.Request("x"))
			if err != nil || res.Text != c.text || res.Usage != c.usage || res.Finish != c.finish {
				t.Errorf("%+v, %v", res, err)
			}
		})
	}
	for name, usage := range map[string]string{
		"negative": `{"input_tokens":-5,"output_tokens":2}`, "nothing": `{}`, "null": "null",
		"more cached than read": `{"input_tokens":5,"output_tokens":2,"cached_tokens":6}`,
	} {
		res, err := shell(t, exec.Options{}, `echo '{"text":"x","usage":`+usage+`}'`).Complete(t.Context(), llmtest.Request("x"))
		if err != nil || !res.Usage.Estimated || res.Usage.InputTokens <= 0 {
			t.Errorf("usage %s: %+v, %v", name, res, err)
		}
	}
}

// The command sees the environment that it was given and nothing of ours.
func TestEnvironment(t *testing.T) {
	m := shell(t, exec.Options{Env: []string{"PATH=" + os.Getenv("PATH"), "CANARY=yes"}}, `printf '{"text":"%s"}' "$(env | cut -d= -f1 | sort | tr '\n' ' ')"`)
	res, err := m.Complete(t.Context(), llmtest.Request("x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(res.Text) {
		switch name {
		case "PATH", "CANARY", "PWD", "SHLVL", "_", "OLDPWD": // the shell's own
		default:
			t.Errorf("the command sees %s", name)
		}
	}
}

// What is optional costs no answer, whatever its type.
func TestOptionalPartsOfAnyType(t *testing.T) {
	for _, part := range []string{
		`"usage":{"input_tokens":"7"}`, `"usage":{"input_tokens":1.5,"output_tokens":2}`, `"usage":[1]`, `"usage":{"input_tokens":1e30}`,
		`"model":7`, `"model":["m"]`, `"finish":{"why":"end"}`, `"finish":3,"usage":"many"`,
	} {
		res, err := shell(t, exec.Options{}, `echo '{"text":"x",`+part+`}'`).Complete(t.Context(), llmtest.Request("x"))
		if err != nil || res.Text != "x" || res.Model != "sh" || res.Finish != llm.FinishStop || !res.Usage.Estimated {
			t.Errorf("%s: %+v, %v", part, res, err)
		}
	}
}

// A key is found in each form that a program may print it in.
func TestKeyFormsInAnswer(t *testing.T) {
	const key = "sk-canary/+=0123456789"
	for _, form := range append(llm.KeyForms(key), "Bearer "+key, base64.StdEncoding.EncodeToString([]byte("user:"+key))) {
		m := shell(t, exec.Options{Env: append(os.Environ(), "X_TOKEN="+key)}, printFile, asFile(t, map[string]string{"text": "<" + form + ">"}))
		res, err := m.Complete(t.Context(), llmtest.Request("x"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range llm.KeyForms(key) {
			if strings.Contains(res.Text, f) {
				t.Errorf("%q holds %q", res.Text, f)
			}
		}
	}
}

func TestKeyInAnswer(t *testing.T) {
	m := shell(t, exec.Options{Env: append(os.Environ(), "X_TOKEN=0123456789abcdef")}, `printf '{"text":"%s"}' "$X_TOKEN"`)
	res, err := m.Complete(t.Context(), llmtest.Request("x"))
	if err != nil || res.Text != "[redacted]" {
		t.Errorf("%q, %v", res.Text, err)
	}
}

// Nothing of the command is left when a call is cancelled.
func TestGroupIsDead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "alive")
	m := shell(t, exec.Options{Timeout: 300 * time.Millisecond}, `(trap '' TERM; sleep 1.5; echo alive >"$1") & sleep 600`, path)
	if _, err := m.Complete(t.Context(), llmtest.Request("x")); err == nil {
		t.Fatal("no error")
	}
	time.Sleep(1600 * time.Millisecond)
	if _, err := os.Stat(path); err == nil {
		t.Error("a child of the command lived on")
	}
}

func TestNew(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"tool", "agent", "python3", "python3.12"} {
		if err := os.WriteFile(path(name), []byte("#!/bin/sh\n"), 0o755); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for command, why := range map[string]string{
		"": "no program", "  ": "no program", "'a": "quote", "''": "no program",
	} {
		if _, err := exec.New(exec.Options{Command: command}); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v", command, err)
		}
	}
	for command, want := range map[string]string{
		"tool -p": "tool", path("agent"): "agent", "python3.12 -u forward.py": "forward.py",
		"sh -c 'a b'": "sh", "env A=b tool": "tool", "python3": "python3",
	} {
		m, err := exec.New(exec.Options{Command: command})
		if err != nil || m.Info().Model != want || m.Info().Backend != "exec" {
			t.Errorf("%q: %+v, %v", command, m.Info(), err)
		}
	}
}

// One program can be many models: what one answered is not found for another.
func TestCommandsAreToldApart(t *testing.T) {
	dir := t.TempDir()
	answers := func(word string) string {
		m := shell(t, exec.Options{}, `cat >/dev/null; printf '{"text":"%s"}' "$1"`, word)
		res, err := llm.Recorded(m, dir).Complete(t.Context(), llmtest.Request("x"))
		if err != nil {
			t.Fatal(err)
		}
		return res.Text
	}
	if a, b, again := answers("one"), answers("two"), answers("one"); a != "one" || b != "two" || again != "one" {
		t.Errorf("%s, %s, %s", a, b, again)
	}
	if m, err := exec.New(exec.Options{Command: "sh --secret word"}); err != nil || strings.Contains(m.Info().Command, "word") {
		t.Errorf("%v, %v", m, err)
	}
}

func TestNoSuchCommand(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	for command, why := range map[string]string{
		"repgen-no-such-command": "does not exist", "/no/such/command": "does not exist", plain: "does not start",
	} {
		_, err := exec.New(exec.Options{Command: command})
		var failure *llm.Error
		if !errors.As(err, &failure) || failure.Kind != llm.Crashed || !strings.Contains(failure.Why, why) {
			t.Errorf("%q: %v", command, err)
		}
	}
}

// Whatever a command does with the key of its environment, no record holds it.
func TestNoKeyInRecords(t *testing.T) {
	const key = "sk-0123456789abcdef"
	dir := t.TempDir()
	for _, script := range []string{
		`printf '{"text":"%s"}' "$A_KEY"`, `echo "$A_KEY" >&2; exit 1`, `echo "$A_KEY"`,
		`printf '{"error":{"kind":"auth","message":"bad key %s"}}' "$A_KEY"`, `printf '{"text":"x","model":"m-%s"}' "$A_KEY"`,
	} {
		m := llm.Recorded(shell(t, exec.Options{Env: append(os.Environ(), "A_KEY="+key)}, script), dir)
		_, _ = m.Complete(t.Context(), llmtest.Request(script))
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 5 {
		t.Fatalf("%d records, %v", len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), key) {
			t.Errorf("%s holds the key: %s", f.Name(), data)
		}
	}
}
