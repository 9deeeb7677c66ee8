package query

import (
	"strings"

	"github.com/repgen/repgen/internal/report"
)

// Limits of a query. A report is at most 1 MiB; what is over these says nothing
// new (guesses, far above honest reports).
const (
	maxObserved = 8 << 10
	maxNames    = 200
	maxFrames   = 64
)

// FromReport takes what is searched for out of a report. It never fails: a
// report with nothing in it gives an empty query.
func FromReport(r *report.Report) Query {
	if r == nil {
		return Query{}
	}
	q := Query{Title: cleanTitle(r.Title)}
	q.Observed = clip(strings.TrimLeft(prose(r, wanted), ".,;:!? \n"), maxObserved)
	q.Exception, q.Message = failure(r)
	q.Frames = frames(r)
	q.Names, q.Modules = names(r, q)
	return q
}

// FromText is a query in words, which may hold code and tracebacks.
func FromText(text string) Query {
	if strings.TrimSpace(text) == "" {
		return Query{}
	}
	return FromReport(report.Parse([]byte(text), report.Source{Kind: "text", Name: "query"}))
}

// Weights of a token by where it stands, beside a word of the description,
// which is 1 (guesses: on reports in plain words a title's weight of 1 to 1.5
// made no difference beyond chance).
const (
	titleWeight   = 1.5
	messageWeight = 1.2
)

// Fields are the parts of the lexical search.
func (q Query) Fields() []Field {
	fields := []Field{
		{InTitle, q.Title, titleWeight},
		{InObserved, q.Observed, 1},
		{InMessage, strings.TrimSpace(q.Exception + " " + q.Message), messageWeight},
	}
	for _, n := range q.Names {
		if n.Origin == InCode || n.Origin == InTraceback {
			// Names of the prose are in it already.
			fields = append(fields, Field{n.Origin, n.Text, n.Weight})
		}
	}
	return fields
}

// maxProse bounds the embedded text in bytes: the model reads 256 tokens, which
// are some 970 bytes (measured on thirty reports: 3.8 bytes a token, and none of
// them was longer); servers have models that read more.
const maxProse = 2000

// Prose is the text that is embedded: title, message, observed, the most
// telling first, since a model reads only the beginning.
func (q Query) Prose() string {
	var parts []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			parts = append(parts, s)
		}
	}
	add(q.Title)
	if q.Message != "" && !strings.Contains(q.Title+q.Observed, q.Message) {
		add(strings.TrimPrefix(q.Exception+": "+q.Message, ": "))
	}
	add(q.Observed)
	if q.Observed == "" {
		// Only code: its names are all there is to say.
		var words []string
		for _, n := range q.Names {
			words = append(words, n.Text)
		}
		add(strings.Join(words, " "))
	}
	return clip(strings.Join(parts, "\n"), maxProse)
}

// Empty says that there is nothing to search for.
func (q Query) Empty() bool {
	return q.Title == "" && q.Observed == "" && q.Message == "" && len(q.Names) == 0 && len(q.Frames) == 0
}

// clip cuts at the last space before n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = strings.ToValidUTF8(s[:n], "")
	if i := strings.LastIndexAny(s, " \n"); i > n/2 {
		s = s[:i]
	}
	return s
}
