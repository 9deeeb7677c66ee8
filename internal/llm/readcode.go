package llm

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
)

// MaxScript bounds a script that is taken from an answer, in bytes. A guess: the
// longest script of a bug report that was seen has 30 KB.
const MaxScript = 256 << 10

// ReadCode finds the one Python script in an answer; notes say what was done for
// it. Of several blocks the last one counts that is at least half as long as the
// longest, for a corrected version comes last and a short one is an example of
// use; blocks that lean on the ones before are put together.
//
// Errors are ErrEmpty, ErrNoCode (prose only), ErrLanguage, ErrTruncated (a block
// that never ends, in the middle of a statement) and ErrTooLong. A script that
// does not parse is returned all the same: its faults are told by whoever checks
// scripts.
func ReadCode(text string) (code string, notes []string, err error) {
	text, thought := withoutThinking(strings.ReplaceAll(text, "\r\n", "\n"))
	if strings.TrimSpace(text) == "" {
		if thought {
			return "", nil, fmt.Errorf("%w: it ends while the model thinks aloud", ErrTruncated)
		}
		return "", nil, ErrEmpty
	}
	blocks := fences(text)
	c := chosen{}
	python := pythonOf(blocks)
	switch {
	case len(python) > 0:
		c.choose(python)
		c.others(len(blocks) - c.used)
	case len(blocks) > 0:
		return "", nil, noPython(blocks)
	default:
		if err := c.unfenced(text); err != nil {
			return "", nil, err
		}
	}
	return c.finish()
}

// chosen is the script as it is made up.
type chosen struct {
	code  string
	open  bool // no fence closes it
	used  int  // blocks
	notes notes
}

// choose takes one of the Python blocks, or all that belong together.
func (c *chosen) choose(python []block) {
	longest := 0
	for _, b := range python {
		longest = max(longest, len(b.body))
	}
	pick := 0
	for i, b := range python {
		if 2*len(b.body) >= longest {
			pick = i
		}
	}
	c.code, c.open, c.used = python[pick].body, python[pick].open, 1
	if pick == 0 || longest > MaxScript {
		return
	}
	missing := len(pysyntax.Parse(c.code).Undefined())
	if missing == 0 {
		return
	}
	var all []string
	for _, b := range python[:pick+1] {
		all = append(all, b.body)
	}
	together := strings.Join(all, "\n")
	if len(pysyntax.Parse(together).Undefined()) < missing {
		c.code, c.used = together, pick+1
		c.notes.add(fmt.Sprintf("%d blocks were put together", c.used))
	}
}

func (c *chosen) others(n int) {
	if n > 0 {
		c.notes.add(fmt.Sprintf("%d other blocks were left out", n))
	}
}

// unfenced looks for a script in an answer without a block.
func (c *chosen) unfenced(text string) error {
	if code, ok := wrapped(text); ok {
		c.code, c.open = code, false
		c.notes.add("the script stood in a JSON object")
		return nil
	}
	if foreign := foreignLanguage(text); foreign != "" {
		return fmt.Errorf("%w but %s", ErrLanguage, foreign)
	}
	code := withoutProse(text)
	if code == "" || !pysyntax.IsPython(code) {
		return ErrNoCode
	}
	c.code, c.open = code, true
	c.notes.add("the script stood in no block")
	if strings.TrimSpace(code) != strings.TrimSpace(text) {
		c.notes.add("prose around it was left out")
	}
	return nil
}

// finish puts the script into form and says what is wrong with it as a whole.
func (c *chosen) finish() (string, []string, error) {
	code := strings.TrimRight(strings.Trim(c.code, "\n"), " \t\n")
	code, dedented := pysyntax.Dedent(code)
	if dedented {
		c.notes.add("its indentation was taken off")
	}
	if plain, ok := withoutPrompts(code); ok {
		code = plain
		c.notes.add("prompts of an interactive session were taken off")
	}
	if len(code) > MaxScript {
		return "", nil, fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLong, len(code), MaxScript)
	}
	if c.open && cutOff(code) {
		return "", nil, fmt.Errorf("%w: the script ends in the middle of a statement", ErrTruncated)
	}
	if c.open && c.used > 0 {
		c.notes.add("the end of its block was missing")
	}
	return code + "\n", c.notes, nil
}

// wrapped is the script in an answer that is a JSON object.
func wrapped(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "{") {
		return "", false
	}
	var object map[string]json.RawMessage
	if _, err := ReadJSON(text, nil, &object); err != nil {
		return "", false
	}
	best := ""
	for _, name := range slices.Sorted(maps.Keys(object)) { // of equal lengths always the same
		var s string
		if json.Unmarshal(object[name], &s) != nil {
			continue
		}
		if blocks := pythonOf(fences(s)); len(blocks) > 0 {
			s = blocks[len(blocks)-1].body
		}
		if len(s) > len(best) && pysyntax.IsPython(s) {
			best = s
		}
	}
	return best, best != ""
}

// prompt begins a line of an interactive session.
var prompt = regexp.MustCompile(`^(>>>|\.\.\.)( |$)`)

// withoutPrompts takes ">>> " off, with the output between, if the first line
// has it.
func withoutPrompts(code string) (string, bool) {
	if !strings.HasPrefix(code, ">>> ") {
		return code, false
	}
	var out []string
	for line := range strings.SplitSeq(code, "\n") {
		if at := prompt.FindStringIndex(line); at != nil {
			out = append(out, line[at[1]:])
		}
	}
	return strings.Join(out, "\n"), true
}
