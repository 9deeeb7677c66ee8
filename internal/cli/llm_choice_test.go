package cli

import (
	"strings"
	"testing"
)

// A key that a shell expanded into --llm is refused before anything is kept, and
// not repeated; a path and the variable's name are fine.
func TestKeyInTheModelsName(t *testing.T) {
	const key = "sk-canary-0815-abcdefghijklmnop"
	configured(t, goodConfig)
	t.Setenv("MY_API_KEY", key)
	t.Setenv("MY_KEY_STORE", "/opt/agents")
	for _, word := range []string{"exec:agent --key " + key, "openai:" + key, key, "exec:sh -c 'curl -H \"x-key: " + key + "\"'"} {
		c, err := choose(word)
		if err == nil {
			t.Fatalf("%s was chosen: %+v", word, c)
		}
		problem, code := explain(err)
		if code != exitUsage || strings.Contains(problem.What+problem.Why+problem.Next, key) {
			t.Errorf("%+v, code %d", problem, code)
		}
	}
	for _, word := range []string{"exec:/opt/agents/run --key-from MY_API_KEY", "exec:sh -c 'agent --key $MY_API_KEY'"} {
		if c, err := choose(word); err != nil || c.Backend != "exec" {
			t.Errorf("%s: %+v, %v", word, c, err)
		}
	}
}
