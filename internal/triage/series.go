package triage

import (
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// Curves by what training should do to them. "return" and "score" are the
// words of reinforcement learning and of scikit-learn for what should rise.
var (
	fallingCurve = lazyre.New(`(?i)\b(?:loss(?:es)?|error|perplexity|mse|mae|rmse|nll)\b`)
	risingCurve  = lazyre.New(`(?i)\b(?:accurac(?:y|ies)|acc|rewards?|returns?|scores?|f1|auc|metrics?)\b`)
	// flat says that the series stands still, which "changes" answers: whether
	// it then goes the right way is another question.
	flat      = lazyre.New(`(?i)\b(?:stuck|stays?|staying|stayed|remains?|constant|same|flat|unchanged|frozen|plateau\w*|stagnat\w+|chang\w+|updat\w+|mov(?:e|es|ing))\b`)
	gradients = lazyre.New(`(?i)\bgrad(?:ient)?s?\b`)
)

// seriesClaim: a printed series does not go where training should take it. The
// curve that the words name must be one that the script prints.
func seriesClaim(rd *reading, s spoken) *oracle.Expectation {
	if gradients.MatchString(s.Message) {
		return nil // no series: a value that is missing
	}
	own, _ := sentenceOf(rd, s)
	for _, d := range directions {
		if d.forbids && d.re.MatchString(own) {
			return nil // "accuracy must not decrease": what should be, not what is
		}
	}
	// The words of the symptom name the curve themselves ("loss does not fall"),
	// or the sentence around them does ("it does not learn: the loss ...").
	words := s.Message
	if !fallingCurve.MatchString(words) && !risingCurve.MatchString(words) {
		sentence, _ := sentenceOf(rd, s)
		words = sentence
	}
	curve, want := fallingCurve, "falls"
	if risingCurve.MatchString(words) {
		if fallingCurve.MatchString(words) {
			return nil // "loss falls, but accuracy stays": which series is meant is not clear
		}
		curve, want = risingCurve, "rises"
	}
	if flat.MatchString(s.Message) {
		want = "changes"
	}
	label, ok := curveLabel(rd.script.file, curve)
	if !ok {
		return nil
	}
	return &oracle.Expectation{Oracle: oracle.OracleLearning, Series: &oracle.Series{Label: label, Want: want}}
}

// curveLabel is the text before the numbers of the curve in what the script
// prints again and again. ok is false when it prints no such series.
func curveLabel(f *pysyntax.File, curve *lazyre.Regexp) (string, bool) {
	for _, p := range f.Prints {
		if !repeated(f, p) {
			continue
		}
		for _, arg := range p.Args {
			if m := labelIn(arg, curve); m != "" {
				return m, true
			}
		}
		if len(p.Args) > 0 && curve.MatchString(strings.ReplaceAll(strings.Join(p.Reads, " "), "_", " ")) && printLabel(p) == "" {
			return "", true // print(loss.item()), print(epoch, loss)
		}
	}
	// Keras writes the curve of each epoch by itself, unless told not to.
	for _, c := range f.Calls {
		if c.Method == "fit" && (c.Keywords["epochs"] != "" || c.Keywords["nb_epoch"] != "") && c.Keywords["verbose"] != "0" {
			return map[bool]string{true: "loss", false: "accuracy"}[curve == fallingCurve], true
		}
	}
	return "", false
}

// labelIn is the word of the curve in a string literal, as it is printed.
func labelIn(arg string, curve *lazyre.Regexp) string {
	arg = strings.TrimLeft(arg, "rbuRBUfF")
	if arg == "" || strings.IndexByte(`"'`, arg[0]) < 0 {
		return ""
	}
	// Inside braces stands code, not text.
	var text strings.Builder
	depth := 0
	for _, c := range arg {
		switch {
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case depth == 0:
			text.WriteRune(c)
		}
	}
	return curve.FindString(text.String())
}
