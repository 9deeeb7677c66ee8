package exec_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/exec"
	"github.com/repgen/repgen/internal/llm/llmtest"
	"github.com/repgen/repgen/internal/llm/llmtest/servers"
)

// example is one of examples/llm, run by a real interpreter.
func example(t *testing.T, env []string, words ...string) *exec.Model {
	t.Helper()
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to run the examples")
	}
	path, err := filepath.Abs("../../../examples/llm/" + words[0])
	if err != nil {
		t.Fatal(err)
	}
	m, err := exec.New(exec.Options{Argv: append([]string{"python3", path}, words[1:]...), Env: append(os.Environ(), env...)})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func forward(t *testing.T, s *servers.Server) *exec.Model {
	return example(t, []string{"OPENAI_BASE_URL=" + s.URL, "OPENAI_API_KEY=" + servers.Key, "no_proxy=*"}, "forward.py", servers.ModelName)
}

func TestForwardConforms(t *testing.T) {
	llmtest.Conform(t, func(t *testing.T, b llmtest.Behaviour) llm.Model {
		if b.Fail == llm.Crashed {
			return nil // the command stands whatever the server does
		}
		s, ok := servers.Behaving(t, servers.OpenAI, b)
		if !ok {
			return nil
		}
		return forward(t, s)
	})
}

func TestForward(t *testing.T) {
	usage := llm.Usage{InputTokens: 1234, OutputTokens: 5, CachedTokens: 1000}
	s := servers.New(t, servers.Options{Protocol: servers.OpenAI, Key: servers.Key, Usage: &usage})
	r := llmtest.Request("six times seven")
	r.Schema = []byte(`{"type":"object"}`)
	res, err := forward(t, s).Complete(t.Context(), r)
	if err != nil || res.Text != "the answer" || res.Model != servers.ModelName || res.Usage != usage {
		t.Errorf("%+v, %v", res, err)
	}
	asked := s.Asked()
	if len(asked) != 1 || asked[0].Model != servers.ModelName || asked[0].MaxTokens != 100 || *asked[0].Temperature != 0 ||
		len(asked[0].Messages) != 2 || !strings.Contains(asked[0].Body, `"json_schema"`) {
		t.Errorf("asked %+v", asked)
	}
}

// A server that refuses the key repeats it; the error does not.
func TestForwardWrongKey(t *testing.T) {
	s := servers.New(t, servers.Options{Protocol: servers.OpenAI, Key: "another"})
	_, err := forward(t, s).Complete(t.Context(), llmtest.Request("x"))
	var failure *llm.Error
	if !errors.As(err, &failure) || failure.Kind != llm.Auth || strings.Contains(err.Error(), servers.Key) {
		t.Errorf("error %v", err)
	}
}

func TestAgent(t *testing.T) {
	r := llmtest.Request("six times seven")
	r.Schema = []byte(`{"type":"object"}`)
	res, err := example(t, nil, "agent.py", "cat").Complete(t.Context(), r)
	want := "# Instructions\n\nYou write scripts.\n\n# Task\n\nsix times seven\n\n" +
		"Answer with one JSON object that meets this schema, and with nothing else:\n{\"type\": \"object\"}"
	if err != nil || res.Text != want || res.Model != "cat" || !res.Usage.Estimated {
		t.Errorf("%+v, %v", res, err)
	}
	// It is not started where repgen is.
	res, err = example(t, nil, "agent.py", "sh", "-c", "cat >/dev/null; ls -A").Complete(t.Context(), r)
	if err != nil || res.Text != "" {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestAgentFails(t *testing.T) {
	for name, c := range map[string]struct {
		words []string
		why   string
	}{
		"fails":           {[]string{"sh", "-c", "echo the cause >&2; exit 4"}, "the cause"},
		"no such program": {[]string{"repgen-no-such-program"}, "does not start"},
		"no program":      {nil, "name the program"},
	} {
		_, err := example(t, nil, append([]string{"agent.py"}, c.words...)...).Complete(t.Context(), llmtest.Request("x"))
		var failure *llm.Error
		if !errors.As(err, &failure) || failure.Kind != llm.Crashed || !strings.Contains(failure.Why, c.why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
