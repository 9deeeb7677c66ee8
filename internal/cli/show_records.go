package cli

import (
	"encoding/json"
	"path/filepath"

	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/pipeline"
)

// maxAnswer of a model stands on the page, in bytes: a script has a few
// thousand, and a model that writes without end is seen from its beginning.
const maxAnswer = 64 << 10

// answersOf are a model's answers by the name of their record. A record that
// cannot be read is left out: the page is for people.
func answersOf(run *pipeline.Stored, spans []trace.Span) map[string]string {
	answers := map[string]string{}
	for _, s := range spans {
		if s.Call == nil || s.Call.Record == "" {
			continue
		}
		if _, read := answers[s.Call.Record]; read {
			continue
		}
		// The name comes from a file that anyone may have edited.
		name := filepath.Base(s.Call.Record)
		data, err := run.Read(recordsFolder+"/"+name, maxShown)
		if err != nil {
			continue
		}
		var record struct {
			Response *llm.Response `json:"response"`
		}
		if json.Unmarshal(data, &record) != nil || record.Response == nil {
			continue
		}
		text := record.Response.Text
		if len(text) > maxAnswer {
			text = text[:maxAnswer] + "\n... cut here"
		}
		answers[s.Call.Record] = text
	}
	return answers
}
