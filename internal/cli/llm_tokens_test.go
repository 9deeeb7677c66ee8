package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/llm/llmtest/servers"
)

// countingModel is a command that reports other numbers with every call.
const countingModel = `
n=$(cat calls 2>/dev/null | wc -l)
echo call >> calls
cat > /dev/null
echo "{\"text\": \"answer $n\", \"model\": \"counting\", \"usage\": {\"input_tokens\": $((1000 + n)), \"output_tokens\": $((10 + n))}}"
`

// tokenCase is a backend with what five questions must come to.
type tokenCase struct {
	name, settings string
	want           llm.Usage
	usd            float64
}

const asked = 5

// threeBackends report usages that differ from call to call; prices are 2 US
// dollars a million tokens in and 10 out.
func threeBackends(t *testing.T) []tokenCase {
	t.Helper()
	said := func(a servers.Asked) string { return strings.Repeat("word ", len(a.Messages[1].Content)) + "end" }
	var out []tokenCase
	for _, p := range []servers.Protocol{servers.OpenAI, servers.Anthropic} {
		s := servers.New(t, servers.Options{Protocol: p, Reply: said})
		c := tokenCase{name: string(p), settings: fmt.Sprintf("backend='%s'\nmodel='m'\nbase_url='%s'\n", p, s.URL)}
		for i := range asked {
			c.want.InputTokens += servers.CountPrompt(question(i).Messages)
			c.want.OutputTokens += len(question(i).Messages[1].Content) + 1
		}
		out = append(out, c)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "model.sh"), []byte("cd "+dir+"\n"+countingModel), 0o600); err != nil {
		t.Fatal(err)
	}
	out = append(out, tokenCase{
		name: "exec", settings: fmt.Sprintf("backend='exec'\ncommand='sh %s/model.sh'\n", dir),
		want: llm.Usage{InputTokens: 5*1000 + 10, OutputTokens: 5*10 + 10},
	})
	for i, c := range out {
		out[i].usd = (2*float64(c.want.InputTokens) + 10*float64(c.want.OutputTokens)) / 1e6
	}
	return out
}

func question(i int) llm.Request {
	return llm.Request{Purpose: "count", MaxTokens: 2000, Messages: []llm.Message{
		{Role: llm.System, Content: "count"}, {Role: llm.User, Content: strings.Repeat("x ", i) + "question"},
	}}
}

// TestTokensOfThreeBackends: asked, taken up again from the run's records, and
// replayed from them, the counts are right to the token and the money to the
// last digit.
func TestTokensOfThreeBackends(t *testing.T) {
	for _, c := range threeBackends(t) {
		t.Run(c.name, func(t *testing.T) {
			configured(t, "[llm.it]\n"+c.settings+"price_in=2.0\nprice_out=10.0\n")
			dir := filepath.Join(t.TempDir(), "llm")
			for _, way := range []string{"asked", "taken up again"} {
				m, err := wireModel(t.Context(), quiet, llmFlags{LLM: "it"}, llmUse{Record: dir})
				if err != nil {
					t.Fatal(err)
				}
				c.holds(t, way, m)
			}
			m, err := wireModel(t.Context(), quiet, llmFlags{LLM: "replay:" + dir}, llmUse{})
			if err != nil {
				t.Fatal(err)
			}
			c.holds(t, "replayed", m)
		})
	}
}

// holds asks all questions and compares the totals.
func (c tokenCase) holds(t *testing.T, way string, m *wiredModel) {
	t.Helper()
	for i := range asked {
		if _, err := m.Complete(t.Context(), question(i)); err != nil {
			t.Fatalf("%s: %v", way, err)
		}
	}
	got := m.Meter.Totals()
	if got.Calls != asked || got.InputTokens != c.want.InputTokens || got.OutputTokens != c.want.OutputTokens || got.Estimated || got.Failed != 0 {
		t.Errorf("%s: %+v, want %+v", way, got, c.want)
	}
	if !got.Priced || math.Abs(got.USD-c.usd) > 1e-12 {
		t.Errorf("%s: %.12f USD, want %.12f", way, got.USD, c.usd)
	}
}
