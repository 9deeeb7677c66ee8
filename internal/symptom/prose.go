package symptom

import (
	"slices"
	"sort"
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// FromProse finds talk of symptoms in what a person wrote: a title, sentences,
// comments. Each has a Kind, the words as Message and their byte span; talk of
// a crash without its log has Kind Signal (Signal is "" when the words name
// none). The result is in order of position, at most one of a kind for each
// sentence. What is denied, wished for or said of the input is left out, and
// so are fenced blocks of code. Text without such talk gives nil; there is no
// error. It never claims that something happened: words are not evidence.
func FromProse(text string) []Symptom {
	low := lower(text)
	var out []Symptom
	for _, span := range sentences(low) {
		out = append(out, talk(text, low, span)...)
		if len(out) >= maxSymptoms {
			return out[:maxSymptoms]
		}
	}
	return out
}

// maxSentence is how many bytes of a sentence are read. Prose without a full
// stop is rarely longer; a pasted log without line ends is (guess).
const maxSentence = 4 << 10

// lower makes ASCII letters small and keeps every byte where it was, so that
// spans hold in the text as written.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// minSentenceBytes: the shortest talk is "NaN", "OOM", or two ideographs.
const minSentenceBytes = 3

// sentences cuts text into spans: at full stops, at empty lines, at list
// items, headings and table rows. A line break alone does not end a sentence,
// since mail and commit messages are wrapped.
func sentences(text string) [][2]int {
	var out [][2]int
	start, fenced := 0, false
	flush := func(end int) {
		if len(strings.TrimSpace(text[start:end])) >= minSentenceBytes && !fenced {
			out = append(out, [2]int{start, end})
		}
		start = end
	}
	for pos := 0; pos < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
			end = pos + i + 1
		}
		row := strings.TrimSpace(text[pos:end])
		fence := strings.HasPrefix(row, "```") || strings.HasPrefix(row, "~~~")
		if fence || row == "" || startsItem(row) {
			flush(pos)
		}
		if fence {
			fenced = !fenced
			start = end
		} else if !fenced {
			for _, stop := range stops(text[pos:end]) {
				flush(pos + stop)
			}
			if strings.HasPrefix(row, "#") {
				flush(end) // a heading ends with its line
			}
		}
		pos = end
	}
	flush(len(text))
	return out
}

// startsItem says whether a line begins something of its own.
func startsItem(row string) bool {
	return strings.ContainsRune("-*+#>|", rune(row[0])) && len(row) > 1 && (row[1] == ' ' || row[1] == row[0] || row[0] == '#' || row[0] == '|') ||
		'0' <= row[0] && row[0] <= '9' && itemNumber.MatchString(row)
}

var itemNumber = lazyre.New(`^\d{1,2}[.)] `)

// stops gives the offsets behind each full stop of a line. A point inside a
// number, a name or a path has no space behind it.
func stops(row string) []int {
	var out []int
	for i := 0; i < len(row); i++ {
		switch row[i] {
		case '.', '!', '?', ';':
			if (i+1 == len(row) || row[i+1] == ' ' || row[i+1] == '\n' || row[i+1] == '\r') && !abbreviation(row[:i]) {
				out = append(out, i+1)
			}
		case 0xe3: // the ideographic full stop, three bytes
			if strings.HasPrefix(row[i:], "。") {
				out = append(out, i+3)
			}
		}
	}
	return out
}

// abbreviation says whether the point behind before belongs to a word.
func abbreviation(before string) bool {
	for _, a := range []string{"e.g", "i.e", " vs", " cf", " etc", " approx", " resp"} {
		if strings.HasSuffix(before, a) {
			return true
		}
	}
	return false
}

// talk reads one sentence. Rules are asked in order; words that an earlier one
// took are not read again as something else.
func talk(text, low string, span [2]int) []Symptom {
	from, to := span[0], min(span[1], span[0]+maxSentence)
	s := low[from:to]
	var out []Symptom
	for i := range proseRules {
		r := &proseRules[i]
		if !r.hint(s) || slices.ContainsFunc(out, func(o Symptom) bool { return o.Kind == r.kind }) {
			continue
		}
		for _, m := range r.re.FindAllStringIndex(s, maxTalk) {
			a, b := trimSpan(s, m[0], m[1])
			if a >= b || taken(out, from+a, from+b) || !r.stands(s, a, b) {
				continue
			}
			out = append(out, Symptom{Kind: r.kind, Signal: r.signal, Message: text[from+a : from+b], Start: from + a, End: from + b})
			break
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Start < out[j].Start })
	return out
}

// maxTalk bounds how many places of one sentence are weighed for one rule, so
// that a sentence made of one word costs no more than another (guess).
const maxTalk = 16

func taken(out []Symptom, start, end int) bool {
	return slices.ContainsFunc(out, func(o Symptom) bool { return start < o.End && o.Start < end })
}

// trimSpan drops spaces and quotes at both ends of a match.
func trimSpan(s string, a, b int) (int, int) {
	const drop = " \t\r\n`*\"'(),.:"
	for a < b && strings.IndexByte(drop, s[a]) >= 0 {
		a++
	}
	for a < b && strings.IndexByte(drop, s[b-1]) >= 0 {
		b--
	}
	return a, b
}

// lookAround is how many bytes before and behind a match are read for what
// denies it: some ten words (guess).
const lookAround = 80

// stands says whether a match means what it says: not denied, not wished, not
// excepted by the rule's own words around it.
func (r *proseRule) stands(s string, a, b int) bool {
	before, after := s[max(0, a-lookAround):a], s[b:min(len(s), b+lookAround)]
	if r.unless != nil && r.unless.MatchString(s[max(0, a-lookAround):min(len(s), b+lookAround)]) {
		return false
	}
	if r.notAfter != nil && r.notAfter.MatchString(before) || r.notBefore != nil && r.notBefore.MatchString(after) {
		return false
	}
	if r.notIn != nil && r.notIn.MatchString(s[a:b]) || deniedWithin.MatchString(s[a:b]) {
		return false
	}
	return !denied(before, after) && !wishFor.MatchString(clause(before, wishEnds))
}

// denied reads words that say it did not happen, or no longer does.
func denied(before, after string) bool {
	c := clause(before, denialEnds)
	return denies.MatchString(c) && !deniesNothing.MatchString(c) || deniedAfter.MatchString(after)
}

// clause is what stands in before behind its last boundary.
func clause(before string, ends *lazyre.Regexp) string {
	if all := ends.FindAllStringIndex(before, -1); len(all) > 0 {
		return before[all[len(all)-1][1]:]
	}
	return before
}

var (
	// A denial reaches to the next comma, conjunction or question word: "I do
	// not know why it hangs" denies knowing.
	denialEnds = lazyre.New(`[,;:(]|\b(?:but|however|yet|while|whereas|although|though|because|since|so|why|how|that|which|whether|if|when|then|until|got|just|only|even)\b`)
	denies     = lazyre.New(`(?s)(?:\b(?:no|not|nothing|never|without|instead of|rather than|neither|nor|avoid(?:s|ed|ing)?|prevent(?:s|ed|ing)?|fix(?:es|ed)|resolve[sd]|free of|no longer|stopped|cannot)\b|n['’]t\b).*$`)
	// "No matter", "not only", and "does not work and hangs".
	deniesNothing = lazyre.New(`\bno matter\b|\bnothing (?:\w+ )?and\b|\bnot sure\b|\bno idea\b|(?:\bnot|n['’]t) (?:\w+ ){1,3}and (?:\w+ ){0,2}$|\bno (?:error|exception|traceback|warning)s? and (?:\w+ ){0,2}$`)
	deniedAfter   = lazyre.New(`^[^,.]{0,25}\b(?:(?:is|are|was) (?:now )?(?:gone|fixed|resolved)|go(?:es)? away|went away|disappear(?:s|ed)?|vanish(?:es|ed)|no longer|ha(?:s|ve) been (?:fixed|resolved)|(?:does|do|did)(?: not|n['’]t) (?:happen|occur|appear|show|exist|come)|(?:is|are|was)(?: not|n['’]t) (?:present|there|seen|the (?:case|problem|issue)))\b`)

	// A match of several words can hold its own denial.
	deniedWithin = lazyre.New(`\bno longer\b|(?:\bnot|n['’]t)\s+(?:\w+\s+)?(?:wrong|incorrect|inaccurate|lost|ignored|inconsistent)\b`)

	wishEnds = lazyre.New(`[,;]|\b(?:but|however|yet|while|whereas|although|though|because|since|why|got|get|gets|instead|than expected|as expected|unexpected(?:ly)?|expected behaviou?r|actual(?:ly)?)\b`)
	wishFor  = lazyre.New(`\b(?:should|expect(?:s|ed|ing)?|want(?:s|ed)?|would like|ideally|must|ought to|feature request|it would be (?:nice|good|great))\b[^.]*$`)
)
