package ask

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/repgen/repgen/internal/system/inert"
)

// maxHidden bounds Hidden.Text, in runes: enough to see what was tried.
const maxHidden = 200

// longRun is the length from which a run of invisible characters is counted
// instead of written out: no string literal of a report needs as many, and a
// smuggled text would otherwise cost five tokens a character.
const longRun = 8

// Inert makes a text that others wrote safe to be read in a prompt: it is valid
// UTF-8 without control characters, marks that change the direction of text,
// invisible characters, marks by which chat templates tell turns apart, and
// access keys. What
// is taken out is written as Python's string literals write it ("\u200b"), so
// that code in which such a character is the point keeps its meaning; colours go.
// Tabs and line ends stay. It says what no reader would have seen.
func Inert(text string) (string, []Hidden) {
	// A lone carriage return is a progress bar's: what it overwrote is shown.
	text = strings.ToValidUTF8(lineEnds.Replace(text), "\uFFFD")
	var hidden []Hidden
	if strings.Contains(text, "\x1b[") && colour.MatchString(text) {
		hidden = append(hidden, Hidden{Kind: "control"})
		text = colour.ReplaceAllString(text, "")
	}
	if holdsAny(text, turnHints) && turnMark.MatchString(text) {
		hidden = append(hidden, Hidden{Kind: "turn", Text: turnMark.FindString(text)})
		text = turnMark.ReplaceAllStringFunc(text, breakMark)
	}
	if holdsAny(text, keyHints) && key.MatchString(text) {
		hidden = append(hidden, Hidden{Kind: "key"})
		text = key.ReplaceAllString(text, "[a key was left out]")
	}
	if !strings.ContainsFunc(text, isHidden) {
		return text, hidden
	}
	shown, found := unhide(text)
	return shown, append(hidden, found...)
}

// unhide writes out what is not seen, and says what it was.
func unhide(text string) (string, []Hidden) {
	var out strings.Builder
	found := map[string]*strings.Builder{}
	var order []string
	for rest := text; rest != ""; {
		n, run := hiddenRun(rest)
		if n == 0 {
			r, size := utf8.DecodeRuneInString(rest)
			out.WriteRune(r)
			rest = rest[size:]
			continue
		}
		kind := inert.Unseen(run[0])
		if found[kind] == nil {
			found[kind] = &strings.Builder{}
			order = append(order, kind)
		}
		found[kind].WriteString(spell(run))
		out.WriteString(visible(run))
		rest = rest[n:]
	}
	var hidden []Hidden
	for _, kind := range order {
		hidden = append(hidden, Hidden{Kind: kind, Text: clip(found[kind].String(), maxHidden)})
	}
	return out.String(), hidden
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// colour are the sequences that only change how text looks; logs are full of
// them, and written out they would bury what the log says.
var colour = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// turnMark is what chat templates of common models write between turns: a
// server that reads special tokens in the content of a message would take it
// for the end of that message.
var turnMark = regexp.MustCompile(`(?i:<\|\s*/?\s*(?:im_start|im_end|im_sep|start_header_id|end_header_id|eot_id|eom_id|begin_of_text|system|user|assistant|end|channel|message|return|call)\s*\|>)|<(?:start|end)_of_turn>|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]|<</?SYS>>|<｜[^<>\n]{1,40}｜>`)

// turnHints and keyHints are pieces of which one is in every match: most texts
// have none, and looking for them is fifty times as fast.
var (
	turnHints = []string{"<|", "_of_turn>", "INST]", "_PROMPT]", "_TOOLS]", "_CALLS]", "_RESULTS]", "SYS>>", "<｜"}
	keyHints  = []string{"sk-", "hf_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "AKIA", "AIza", "xox", "PRIVATE KEY"}
)

func holdsAny(text string, pieces []string) bool {
	return slices.ContainsFunc(pieces, func(p string) bool { return strings.Contains(text, p) })
}

// key is what the access keys of common services look like. A reporter who
// pastes one by mistake should not find it passed on.
var key = regexp.MustCompile(`\b(?:sk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}|hf_[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}|glpat-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|xox[bpars]-[A-Za-z0-9-]{10,})|-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*-----END [A-Z ]*PRIVATE KEY-----`)

// breakMark puts a space behind the first character: it is still read by people
// and no longer one token.
func breakMark(mark string) string {
	_, size := utf8.DecodeRuneInString(mark)
	return mark[:size] + " " + mark[size:]
}

// hiddenRun is the run of hidden characters of one kind at the beginning, with
// its length in bytes.
func hiddenRun(s string) (int, []rune) {
	var run []rune
	n := 0
	for _, r := range s {
		if !isHidden(r) || len(run) > 0 && inert.Unseen(r) != inert.Unseen(run[0]) {
			break
		}
		run = append(run, r)
		n += utf8.RuneLen(r)
	}
	return n, run
}

func visible(run []rune) string {
	if len(run) > longRun {
		return fmt.Sprintf("[%d hidden characters]", len(run))
	}
	var b strings.Builder
	for _, r := range run {
		switch {
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// spell is what a run says: tag characters mirror ASCII, the others say nothing
// and are counted by their code.
func spell(run []rune) string {
	if inert.Unseen(run[0]) != "tag" {
		return ""
	}
	var b strings.Builder
	for _, r := range run {
		if c := r - 0xE0000; c >= 0x20 && c < 0x7f {
			b.WriteRune(c)
		}
	}
	return b.String()
}

func isHidden(r rune) bool { return inert.Steers(r) }

// clip keeps the first n runes.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "…"
}

// OneLine is a text that others wrote as one inert line of at most n runes.
func OneLine(s string, n int) string {
	s, _ = Inert(s)
	return clip(strings.Join(strings.Fields(s), " "), n)
}
