package llm

import "unicode/utf8"

// EstimateTokens guesses how many tokens a text has: a quarter of its bytes
// where it is ASCII (source code and English prose have 3 to 4.5 bytes a token
// with the byte-pair vocabularies in use), and one for each other character. A
// guess for choosing what goes into a prompt; a limit is kept with UpperTokens.
func EstimateTokens(text string) int {
	ascii, other := 0, 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] < utf8.RuneSelf:
			ascii++
		case utf8.RuneStart(text[i]):
			other++
		}
	}
	return (ascii+3)/4 + other
}

// Overheads of UpperTokens; guesses, above what was seen: a chat template spends
// 4 to 10 tokens a message, its built-in system prompt up to 100, and a provider
// that holds the answer to a schema describes that to the model in some 350.
const (
	messageOverhead = 16
	promptOverhead  = 128
	schemaOverhead  = 512
)

// UpperTokens is more than the prompt can have: no token of a byte-level
// vocabulary is shorter than a byte. It cannot know of a system prompt that a
// server or a command puts before ours; Meter learns of that from the first
// answer.
func UpperTokens(r Request) int {
	n := promptOverhead
	for _, m := range r.Messages {
		n += len(m.Content) + messageOverhead
	}
	if len(r.Schema) > 0 {
		n += len(r.Schema) + schemaOverhead
	}
	return n
}

// EstimateUsage is for a backend that reports none.
func EstimateUsage(r Request, answer string) Usage {
	in := 0
	for _, m := range r.Messages {
		in += EstimateTokens(m.Content) + 4
	}
	if len(r.Schema) > 0 {
		in += EstimateTokens(string(r.Schema))
	}
	return Usage{InputTokens: in, OutputTokens: EstimateTokens(answer), Estimated: true}
}

// Add sums two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		InputTokens:   u.InputTokens + v.InputTokens,
		OutputTokens:  u.OutputTokens + v.OutputTokens,
		CachedTokens:  u.CachedTokens + v.CachedTokens,
		WrittenTokens: u.WrittenTokens + v.WrittenTokens,
		Estimated:     u.Estimated || v.Estimated,
	}
}

// Tokens in and out together.
func (u Usage) Tokens() int { return u.InputTokens + u.OutputTokens }
