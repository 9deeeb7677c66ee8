package bench

import (
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// Bounds of an answer, which may be a stranger's: ours have under 2 KiB, four
// levels, and repeat nothing. The reader takes ten gigabytes for 600 KiB of open
// brackets, and for a hundred bytes of names that stand for lists of each other.
// Guesses, far above ours.
const (
	maxBrackets = 32
	maxColumn   = 1000 // of what opens a level by its indentation
)

// readAnswer reads case.yaml.
func readAnswer(text []byte) (a Answer, err error) {
	if len(text) > maxAnswer {
		return a, fmt.Errorf("it has more than %d bytes", maxAnswer)
	}
	open := 0
	for _, t := range lexer.Tokenize(string(text)) {
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			return a, fmt.Errorf("line %d: names for values (& and *) are not read", t.Position.Line)
		case token.SequenceStartType, token.MappingStartType:
			open++
		case token.SequenceEndType, token.MappingEndType:
			open--
		case token.SequenceEntryType, token.MappingValueType:
			if t.Position.Column > maxColumn {
				return a, fmt.Errorf("line %d: it is nested too deeply", t.Position.Line)
			}
		}
		if open > maxBrackets {
			return a, fmt.Errorf("line %d: it is nested too deeply", t.Position.Line)
		}
	}
	return a, yaml.Unmarshal(text, &a)
}
