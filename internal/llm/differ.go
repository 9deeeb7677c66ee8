package llm

import (
	"bytes"
	"fmt"
)

// nearest says how r differs from the recorded request that is most like it.
func nearest(near []*record, r Request) string {
	var best string
	most := -1
	for _, one := range near {
		if why, same := differ(one.Request, r); same > most {
			best, most = fmt.Sprintf("%s (%s)", why, one.name), same
		}
	}
	return best
}

// differ names the first difference of two requests, and says how many bytes of
// the messages are alike before it.
func differ(was, is Request) (why string, same int) {
	for i, m := range is.Messages {
		if i >= len(was.Messages) {
			return fmt.Sprintf("%d messages were recorded, %d are asked", len(was.Messages), len(is.Messages)), same
		}
		old := was.Messages[i]
		n := common(old.Content, m.Content)
		same += n
		if old.Role != m.Role {
			return fmt.Sprintf("message %d is %s, recorded was %s", i+1, m.Role, old.Role), same
		}
		if n < len(m.Content) || n < len(old.Content) {
			return fmt.Sprintf("message %d differs at byte %d: %q, recorded was %q", i+1, n, around(m.Content, n), around(old.Content, n)), same
		}
	}
	switch {
	case len(was.Messages) != len(is.Messages):
		why = fmt.Sprintf("%d messages were recorded, %d are asked", len(was.Messages), len(is.Messages))
	case was.MaxTokens != is.MaxTokens:
		why = fmt.Sprintf("max_tokens is %d, recorded was %d", is.MaxTokens, was.MaxTokens)
	case !sameNumber(was.Temperature, is.Temperature):
		why = "the temperature differs"
	case !bytes.Equal(compact(was.Schema), compact(is.Schema)):
		why = "the JSON schema differs"
	default:
		why = fmt.Sprintf("it is sample %d, recorded was %d", is.Sample, was.Sample)
	}
	return why, same
}

func sameNumber(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// common is the length of the common start.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// around is a little of a text at a place, for a message.
func around(s string, at int) string {
	const before, after = 15, 25
	return s[max(0, at-before):min(len(s), at+after)]
}
