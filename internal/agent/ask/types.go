package ask

import (
	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/llm"
)

// The caps that stand where an Asker names none, in estimated tokens. The aim
// is a median under 12,000 tokens a prompt; a quarter over it leaves room for
// the rare long one (a guess). An answer holds one script of at most a few
// hundred lines.
const (
	DefaultPrompt = 16000
	DefaultAnswer = 4000
)

// Asker asks one model under caps. It is plain data, never changed by a call,
// and safe for concurrent use.
type Asker struct {
	Model llm.Model
	// Trace takes a span a call, below the one that the context carries; nil:
	// nobody.
	Trace *trace.Recorder
	// Prompt and Answer cap one call, in estimated tokens; 0: the defaults.
	Prompt int
	Answer int
	// Unparsed is told of every answer that could not be read as what was asked
	// for; nil: nobody.
	Unparsed func()
	// OnText is told of the pieces of answers as they come; nil: nobody.
	OnText func(purpose, piece string)
	// Cost says what a call cost, in US dollars ((*llm.Meter).Cost); nil: nobody
	// knows.
	Cost func(u llm.Usage) (usd float64, priced bool)
}

// Prompt is one question.
type Prompt struct {
	// Purpose names the call in records and trajectories ("plan").
	Purpose string
	// Template is the name and version of what System and Task were made from.
	Template string
	// System says who is asked and by which rules. What is said there of fences
	// is added by the asker.
	System string
	// Task is what is asked, put after the stable sections.
	Task string
	// Sections are what is known, in the order in which they are sent.
	Sections []Section
	// Changes says that equal prompts with changing sections will follow or went
	// before: a quarter of the cap is kept for those even where there are none, so
	// that the rest is the same each time.
	Changes bool
	// Previous is the model's own last answer, sent as its turn before the
	// changing sections; "" when there is none.
	Previous string
	// Again is what is asked after the changing sections; "": nothing more.
	Again string
	// Temperature and Sample are the request's.
	Temperature *float64
	Sample      int
	// Answer caps the answer below the asker's cap; 0: the asker's.
	Answer int
}

// Section is one piece of a prompt.
type Section struct {
	// Name is what the piece is called, in our own words ("the report").
	Name string
	Text string
	// Markdown says that the text is written as Markdown by a reporter: comments
	// that no reader sees are left out.
	Markdown bool
	// Ours says that every word is this program's: it is sent without a fence.
	// The zero value is fenced.
	Ours bool
	// Priority orders what gives way when the prompt is too long: the highest
	// number first, 0 last of all.
	Priority int
	// Max caps the section, in estimated tokens; 0: only the prompt's cap.
	Max int
	// Keep says which part of a text that is too long stays.
	Keep Keep
	// Changing says that it differs from attempt to attempt: it is sent after
	// everything that does not.
	Changing bool
}

// Keep is the part of a text that stays when it is cut.
type Keep int

// The parts.
const (
	KeepHead Keep = iota
	KeepEnds      // the beginning and the end
	KeepTail
)

// Answer is what came of a question, all calls for it together.
type Answer struct {
	Text string
	// Usage and Calls are of all that was asked for it, failed reads included.
	Usage  llm.Usage
	Calls  int
	Finish llm.Finish
	// Unparsed counts the answers that could not be read, Repairs what the
	// reader mended in the one that could.
	Unparsed int
	Repairs  []string
	// Prompt is the estimate of the last prompt, in tokens.
	Prompt int
	// Dropped says what of the prompt was left out to fit.
	Dropped []string
	// Hidden are texts of the sections that a reader of the rendered report
	// would not see.
	Hidden []Hidden
}

// Hidden is text that others wrote and that is not shown where it is read.
type Hidden struct {
	// Kind: "comment", "control", "invisible", "direction", "tag" (characters that
	// mirror ASCII unseen), "turn" (a chat template's mark), "key" (left out).
	Kind string
	// Text is what it says, inert and cut; "" when it says nothing.
	Text string
	// Section is the name of the section in which it stood.
	Section string
}
