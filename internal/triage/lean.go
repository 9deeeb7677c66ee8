package triage

import (
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	leadFails = lazyre.New(`(?i)\b(fails?|failing|breaks?|broken|crash(es)?|raises?|errors?|does(n't| not) work|wrong|incorrect|bug|reproduc\w*|minimal|mwe|mre|nan|hangs?|segfaults?|but (this|with|the following))\b`)
	leadWorks = lazyre.New(`(?i)\b(works?( fine| well| as expected)?|working|is (fine|ok|okay|correct)|^\W*(good|ok|okay|fine)\b|(gives|returns|produces) the (right|correct|expected)|succeeds?|no (error|problem|issue)s?|for comparison|as a comparison|correctly)\b`)
	leadNot   = lazyre.New(`(?i)\b(does(n't| not)|do(n't| not)|not|never|no longer|stops?|stopped|used to|without|instead of|should) (\w+ )?(work|working|be fine|succeed)|\b(does(n't| not)|did(n't| not)|won't|isn't)\s*:?\s*$|^\W*(bad|buggy|broken|failing|not ok|wrong|incorrect)\b`)
	leadFix   = lazyre.New(`(?i)\b(fix(es|ed)?|work-?around|suggest\w*|propos\w*|patch(ed)?|solution|(change|changing|replace|replacing|replaced) |should be (replaced|changed)|could be (written|changed)|pull request)\b`)
	leadQuote = lazyre.New(`(?i)(\b(source( code)?|implementation|defined|definition|looking at|culprit|caused by|comes from|line \d+|lines \d+)\b|\.py\b)`)
)

// leanFix is the lean of code that nobody says was run as it is.
const leanFix = -4

// lean is what the words before a block, or its first comment, say of it:
// above zero it shows the failure, below zero it is the good variant, a
// proposed fix or a quotation of the library.
func lean(r *report.Report, p part) int {
	b := r.Blocks[p.block]
	said := lastSentence(b.Lead)
	if said == "" && len(p.file.Comments) > 0 && p.file.Comments[0].Line <= 1 {
		said = p.file.Comments[0].Text
	}
	switch {
	case leadFix.MatchString(said), underFix(r, b), quotesLibrary(said, p):
		return leanFix
	case leadNot.MatchString(said):
		return 3
	case leadFails.MatchString(said):
		return 3
	case leadWorks.MatchString(said):
		return -3
	}
	return 0
}

// underFix: the heading above the block says that it is how to mend it.
func underFix(r *report.Report, b report.Block) bool {
	return b.Section >= 0 && b.Section < len(r.Sections) && leadFix.MatchString(r.Sections[b.Section].Heading)
}

// quotesLibrary: the lead points into a source file and the code cannot stand
// alone, because it is the body of a method.
func quotesLibrary(said string, p part) bool {
	if !leadQuote.MatchString(said) {
		return false
	}
	for _, n := range p.needs {
		if n == "self" || n == "cls" {
			return true
		}
	}
	return len(p.file.Imports) == 0 && len(p.file.Statements) > 0 && onlyDefinitions(p)
}

func onlyDefinitions(p part) bool { return onlyDefined(p.file) }

// onlyDefined: nothing would happen when it runs.
func onlyDefined(f *pysyntax.File) bool {
	for _, s := range f.Statements {
		if s.Kind != "function" && s.Kind != "class" && s.Kind != "import" {
			return false
		}
	}
	return true
}

// lastSentence is the part of a lead that introduces the block.
func lastSentence(lead string) string {
	lead = strings.TrimSpace(lead)
	body := strings.TrimRight(lead, ".!?: ")
	if i := strings.LastIndexAny(body, ".!?"); i >= 0 && i+1 < len(body) && body[i+1] == ' ' {
		return body[i+1:]
	}
	return lead
}

// rankScript orders alternatives; the weights are guesses in which the words of
// the reporter outweigh what the code looks like.
func rankScript(r *report.Report, group []part, s script) int {
	last := group[len(group)-1]
	score := lean(r, last) * 2
	if onlyVersions(s.file) {
		score -= 5
	}
	if s.complete() {
		score += 3
	}
	if len(s.file.Imports) > 0 {
		score++
	}
	if r.Blocks[last.block].Role == report.RoleCode {
		score++
	}
	if showsFailure(r, s.blocks) {
		score += 4
	}
	if next := last.block + 1; next < len(r.Blocks) {
		if k := r.Blocks[next].Kind; k == report.BlockTraceback || k == report.BlockOutput {
			score++
		}
	}
	return score
}

// The last four are what templates tell to paste beside a package's own version.
var asksVersions = lazyre.New(`__version__|show_versions|print_environment_info|collect_env|version\(|\bsys\.(?:version|platform|executable)\b|\bplatform\.(?:platform|system|release|machine|processor|uname|architecture)\(|\btorch\.version\.|show_config\(`)

// onlyVersions: a snippet that says what is installed. It is a script only
// where there is no other: an import that fails is often reported that way.
func onlyVersions(f *pysyntax.File) bool {
	asked := false
	for _, s := range f.Statements {
		if s.Kind == "import" {
			continue
		}
		if !asksVersions.MatchString(s.Text) {
			return false
		}
		asked = true
	}
	return asked
}

// showsFailure: a transcript that holds the traceback itself.
func showsFailure(r *report.Report, blocks []int) bool {
	for _, t := range r.Tracebacks {
		for _, b := range blocks {
			if t.Block == b && t.Symptom.Kind != symptom.Warning {
				return true
			}
		}
	}
	return false
}
