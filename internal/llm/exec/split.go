package exec

import (
	"errors"
	"strings"
)

// Split cuts a command line into words as a POSIX shell does, without running
// one: single quotes keep everything, double quotes know a backslash before a
// double quote, a backslash, a dollar sign or a backquote, and a backslash
// elsewhere keeps the next character. Nothing is expanded: what a shell would act
// upon ($, `, *, ;, |, >) stands for itself. (The kept libraries for this take
// comments or operators away; the rule itself is one page of the standard.)
func Split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\n', '\r':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		case '\'', '"':
			n, err := quoted(line[i:], &word)
			if err != nil {
				return nil, err
			}
			i += n - 1
			inWord = true
		case '\\':
			i++
			if i == len(line) {
				return nil, errors.New("it ends with a backslash")
			}
			if line[i] != '\n' { // a line that goes on
				word.WriteByte(line[i])
				inWord = true
			}
		case 0:
			return nil, errors.New("it holds a NUL character")
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// quoted reads a quoted part of a word and says how long it is.
func quoted(s string, word *strings.Builder) (int, error) {
	mark := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == mark:
			return i + 1, nil
		case s[i] == 0:
			return 0, errors.New("it holds a NUL character")
		case s[i] == '\\' && mark == '"' && i+1 < len(s) && strings.IndexByte("\"\\$`\n", s[i+1]) >= 0:
			i++
			if s[i] != '\n' {
				word.WriteByte(s[i])
			}
		default:
			word.WriteByte(s[i])
		}
	}
	return 0, errors.New("a quote is not closed")
}
