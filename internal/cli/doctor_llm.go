package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/repgen/repgen/internal/llm"
)

// tinyAnswer is room for one word, and for a model that thinks aloud first. A
// guess.
const tinyAnswer = 64

// llmChecks show which models are configured, and ask the chosen one, or the
// configuration's default, one tiny question.
func llmChecks(ctx context.Context, s streams, f llmFlags) []check {
	c, err := loadConfig()
	checks := configChecks(c, err)
	chosen, err := choose(f.LLM)
	switch {
	case err != nil && f.LLM == "" && len(checks) > 0 && !checks[0].OK:
		return checks // said already
	case err != nil:
		problem, _ := explain(err)
		return append(checks, check{Name: "language model", Detail: problem.What + because(problem.Why), Next: problem.Next})
	case chosen == nil:
		return append(checks, check{Name: "language model", OK: true, Detail: "none is chosen; --llm NAME tries one with a tiny question"})
	}
	return append(checks, askTiny(ctx, s, chosen))
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// configChecks are the models of the configuration, none of them asked.
func configChecks(c *config, err error) []check {
	if err != nil {
		problem, _ := explain(err)
		return []check{{Name: "configuration", Detail: problem.What + because(problem.Why), Next: problem.Next}}
	}
	var checks []check
	for _, n := range c.Notes {
		checks = append(checks, check{Name: "configuration", OK: true, Detail: n})
	}
	for _, name := range c.names() {
		k := check{Name: "model " + name, OK: true}
		choice, err := c.choose(name)
		if err != nil {
			problem, _ := explain(err)
			k.OK, k.Detail, k.Next = false, problem.Why, problem.Next
		} else {
			k.Detail = choice.describe()
		}
		checks = append(checks, k)
	}
	return checks
}

// describe says what a choice is, and whether its key is there.
func (c *choice) describe() string {
	text := c.Backend + " " + c.Model
	if host := c.host(); host != "" {
		text += " at " + host
	}
	key, notes, err := c.Key.read()
	switch {
	case c.Key.String() == "":
		text += ", without a key"
	case err != nil:
		text += ", not usable: " + err.Error()
	case key == "":
		text += ", without a key: " + c.Key.String() + " is not set"
	default:
		text += ", key from " + c.Key.String()
	}
	for _, n := range notes {
		text += "; " + n
	}
	return text
}

// askTiny asks one question and says who answered, how fast and at what price.
func askTiny(ctx context.Context, s streams, c *choice) check {
	k := check{Name: "language model"}
	m, err := wireModel(ctx, s, llmFlags{LLM: c.Name}, llmUse{Attempts: 1})
	if err == nil {
		var r llm.Response
		began := time.Now()
		r, err = m.Complete(ctx, llm.Request{
			Purpose: "doctor", MaxTokens: tinyAnswer, Temperature: m.Temperature,
			Messages: []llm.Message{{Role: llm.User, Content: "Answer with the one word: ready"}},
		})
		if err == nil {
			k.OK, k.Detail = true, answered(c, m, r, time.Since(began))
			return k
		}
	}
	problem, _ := explain(err)
	k.Detail, k.Next = problem.What+because(problem.Why), problem.Next
	return k
}

func answered(c *choice, m *wiredModel, r llm.Response, took time.Duration) string {
	name := r.Model
	if name == "" {
		name = m.Info().Model
	}
	text := fmt.Sprintf("%s answers as %s in %.1f s: %d tokens in, %d out", c.Name, name, took.Seconds(), r.Usage.InputTokens, r.Usage.OutputTokens)
	if r.Usage.Estimated {
		text += " (estimated: the server reports none)"
	}
	if usd, ok := m.Meter.Cost(r.Usage); ok {
		text += fmt.Sprintf(", %.6f USD", usd)
	} else {
		text += ", price not known (price_in and price_out in the configuration)"
	}
	for _, n := range m.Notes {
		text += "; " + n
	}
	return text
}
