package triage

import (
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// Claims about one property of a value: "output has shape (3, 4), should be
// (3, 8)", "returns float64 instead of float32", "returns a list, not an array".

var (
	// propertyTokens are how prose writes a shape, a dtype and a type.
	shapeToken = lazyre.New(`(?:torch\.Size|TensorShape)?\(?[(\[]\s*(?:None|\d+)?(?:\s*,\s*(?:None|\d+))*\s*,?\s*[)\]]\)?`)
	dtypeToken = lazyre.New(`\b(?:(?:torch|np|numpy|jnp|tf)\.)?(b?float(?:16|32|64)|u?int(?:8|16|32|64)|complex(?:64|128)|bool|object)\b`)
	typeToken  = lazyre.New("(?i)\\b(?:an? |the )?`?(?:np\\.|numpy\\.|torch\\.|pd\\.|pandas\\.)?(list|tuple|dict|str|string|ndarray|numpy array|tensor|dataframe|series|none|scalar|python float|python int)`?(?: (?:object|type))?\\b")
	// shouldBe is the cue of the wanted side, cameOut that of the other; the
	// nearest one before a value decides.
	shouldBe = lazyre.New(`(?i)\b(?:should(?:n't| not)? (?:be|have|return|give|stay|keep)|should|expect(?:ed|s|ing)?|instead of|rather than|ought to|must be|supposed to|want(?:ed)?|correct|not)\b`)
	cameOut  = lazyre.New(`(?i)\b(?:returns?|returned|has|have|gives?|gave|gets?|got|is|was|are|outputs?|prints?|produces?|yields?|becomes?|but|with|of|upcasts? to|casts? to|promotes? to|to)\b`)
	// ofInput is said of what goes in, which is no claim.
	ofInput = lazyre.New(`(?i)\b(?:inputs?|given|passing|pass|feed\w*|for (?:an?|the)|of type|x of|from)\b(?:\s+\w+){0,3}\s*(?:of|with)?\s*(?:shape|dtype|type)?\s*(?:of|is)?\s*$`)
)

// propertyClaim reads one from the sentence of a symptom; nil unless the wanted
// and the seen side are both stated, one value each.
func propertyClaim(rd *reading, s spoken) *oracle.Expectation {
	sentence, at := sentenceOf(rd, s)
	if next, to := sentenceAround(rd.prose, at+len(sentence)+1); to > next && next >= at+len(sentence) && !s.inTitle {
		// "The output has shape (3, 4). It should be (3, 8)."
		sentence += rd.prose[next:to]
	}
	for _, p := range []struct {
		property string
		token    *lazyre.Regexp
		kinds    [2]symptom.Kind
	}{
		{"shape", shapeToken, [2]symptom.Kind{symptom.Shape, symptom.WrongValue}},
		{"dtype", dtypeToken, [2]symptom.Kind{symptom.DType, symptom.WrongValue}},
		{"type", typeToken, [2]symptom.Kind{symptom.WrongValue, symptom.DType}},
	} {
		if s.Kind != p.kinds[0] && s.Kind != p.kinds[1] {
			continue
		}
		if p.property == "shape" && s.Kind != symptom.Shape && !strings.Contains(sentence, "shape") {
			continue
		}
		actual, expected := sides(sentence, p.token)
		if actual == "" || expected == "" || actual == expected {
			continue
		}
		v := &oracle.Value{Property: p.property, Actual: actual, Expected: expected, Target: targetIn(rd, sentence)}
		if v.Target == "" {
			v.Target = printedTarget(rd.script.file, p.property)
		}
		// Neither a name nor a print would show the property: no run could.
		if v.Target == "" && !showsProperty(rd, p.property) {
			return nil
		}
		return &oracle.Expectation{Oracle: oracle.OracleShape, Value: v}
	}
	return nil
}

// sides sorts the values of a sentence: exactly one that came and exactly one
// that should have come, "" where it is none or several.
func sides(sentence string, token *lazyre.Regexp) (actual, expected string) {
	last := 0
	for _, m := range token.FindAllStringSubmatchIndex(sentence, 8) {
		value := sentence[m[0]:m[1]]
		if len(m) > 3 && m[2] >= 0 {
			value = strings.ToLower(sentence[m[2]:m[3]])
		}
		before := sentence[last:m[0]]
		last = m[1]
		// "instead of" holds an "of" that is no cue of its own.
		w, a := lastAt(shouldBe, before), lastAt(cameOut, shouldBe.ReplaceAllStringFunc(before, spaces))
		// "(3, 4) instead of (4, 3)": the cue right before a value says which side
		// it is on. A value without a cue, or of the input, is on none.
		switch {
		case !isShapeLike(value) || ofInput.MatchString(before):
			continue
		case w < 0 && a < 0:
			continue
		case w > a || w >= 0 && strings.HasPrefix(strings.ToLower(before[w:]), "should"):
			if expected != "" && expected != value {
				return "", ""
			}
			expected = value
		default:
			if actual != "" && actual != value {
				return "", ""
			}
			actual = value
		}
	}
	return actual, expected
}

// isShapeLike leaves out what only looks like a shape: an empty bracket of a
// call, a single number in brackets ("(1)").
func isShapeLike(value string) bool {
	if value == "" || strings.IndexByte("([", value[0]) < 0 {
		return true
	}
	return strings.ContainsRune(value, ',') || value == "()" || value == "[]"
}

func spaces(s string) string { return strings.Repeat(" ", len(s)) }

func lastAt(re *lazyre.Regexp, text string) int {
	all := re.FindAllStringIndex(text, -1)
	if len(all) == 0 {
		return -1
	}
	return all[len(all)-1][0]
}

// printedTarget is the plain name whose property is the only one of its kind
// that the script prints: print(out.shape).
func printedTarget(f *pysyntax.File, property string) string {
	found := ""
	for _, p := range f.Prints {
		for _, arg := range p.Args {
			name, ok := strings.CutSuffix(strings.TrimSpace(arg), "."+property)
			if property == "type" {
				name, ok = strings.CutPrefix(strings.TrimSuffix(arg, ")"), "type(")
			}
			switch {
			case !ok || !plainWord.MatchString(name) || p.Scope != "":
			case found != "" && found != name:
				return ""
			default:
				found = name
			}
		}
	}
	return found
}

var plainWord = lazyre.New(`^[A-Za-z_]\w*$`)

// showsProperty: something that the script prints shows the property at all.
func showsProperty(rd *reading, property string) bool {
	if rd.script.echoes {
		return true
	}
	for _, p := range rd.script.file.Prints {
		for _, arg := range p.Args {
			if strings.Contains(arg, "."+property) || property == "type" && strings.Contains(arg, "type(") {
				return true
			}
		}
	}
	return false
}
