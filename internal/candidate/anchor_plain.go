package candidate

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// A script can make any number out of any difference of two releases: "10 if
// r > 8 else 7" says in the report's own values what the report never spoke of.
// A claim therefore rests only on what the subject returned as it returned it:
// picked out, compared and computed with, but chosen by no condition, made out
// of no text, and with no value added by the script.

var (
	// digests make numbers of anything.
	digests = wordSet("hash id ord bytes bytearray sys.getsizeof zlib.crc32 zlib.adler32 binascii.crc32 pickle.dumps int.from_bytes")
	// gonePart of a release raises these; a caught one says only that it is gone.
	absence = wordSet("AttributeError TypeError ImportError ModuleNotFoundError NameError KeyError Exception BaseException")

	// operators of a class of the script's own answer for the subject.
	operators = wordSet(`__add__ __radd__ __iadd__ __sub__ __rsub__ __isub__ __mul__ __rmul__ __imul__ __matmul__ __rmatmul__
		__truediv__ __rtruediv__ __floordiv__ __mod__ __pow__ __rpow__ __neg__ __abs__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__
		__hash__ __bool__ __int__ __float__ __index__ __array__ __array_ufunc__ __array_function__ __torch_function__
		__jax_array__ __round__ __contains__ __str__ __repr__ __format__ __getattr__ __getattribute__`)

	lambda    = lazyre.New(`\blambda\b`)
	comparing = lazyre.New(`[=!<>]=|[<>]|\bin\b|\bis\b`)
	// places are numbers that say where, not what.
	places     = lazyre.New(`([\w)\]])\[[-\d:,.\s]*\]|\b(?:axis|dim|ndim|decimals)\s*=\s*-?\d+|\.(?:reshape|view|transpose|permute|sum|mean|std|var|squeeze|unsqueeze|flatten)\([-\d,\s]*\)`)
	loopOver   = lazyre.New(`^\s*(?:async\s+)?for\b(.*?)\bin\b(.*)$`)
	numbersOf  = lazyre.New(`(?:^|[^\w.])((?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)`)
	comparedTo = lazyre.New(`(?:[=!<>]=|[<>])\s*[-+]?\s*$`)
	comparesAt = lazyre.New(`^\s*(?:[=!<>]=|[<>])`)
	tolerated  = lazyre.New(`(?:[<>]=?|,|tol\s*=)\s*$`)
	dtypeText  = lazyre.New(`\b(?:str|repr)\(\s*[\w.\[\]]*\.dtype\s*\)`)
	textCall   = lazyre.New(`(?:^|[^\w.])(?:str|repr|ascii|format|type|json\.dumps)\s*\(|\.(?:format|__repr__|__str__|__class__|tobytes)\b|(?:^|[^\w])[rR]?[fF][rR]?["']`)
)

// plainly says where what is observed is not what the subject returned.
func (a *anchors) plainly() {
	if len(a.e.Modules) == 0 {
		return
	}
	computed := a.f.Computed(a.e.Modules...)
	named := a.fromNamed()
	chosen, text := a.f.From(a.chosen(computed)...), a.f.From(a.madeText(computed)...)
	for _, n := range a.e.Observed.Names {
		if !slices.Contains(oracle.ObservedNames(a.e.Observed), n.Name) {
			continue
		}
		for _, call := range a.f.Calls {
			if name, _ := unquoted(arg(call, 0)); call.Func != "observe" || name != n.Name || len(call.Args) < 2 {
				continue
			}
			switch value := call.Args[1]; {
			case a.choosesOn(call.Line, computed), anyMarked(call.ArgReads, chosen), anyMarked(call.Guards, (&steer{a.f, a.e.Modules, computed}).tested()), call.InHandler:
				a.say("line %d: %s is chosen by a condition, not returned by %s", call.Line, n.Name, a.e.Subject)
			case a.classAsked(value):
				a.say("line %d: %s is what kind of thing it is, which the report does not speak of", call.Line, n.Name)
			case n.Type != "string" && (anyMarked(call.ArgReads, text) || textual(value)):
				a.say("line %d: %s is made out of text, not returned by %s", call.Line, n.Name, a.e.Subject)
			case !anyMarked(call.ArgReads, named) && !a.callsNamed(value):
				a.say("line %d: %s comes out of nothing that the report names", call.Line, n.Name)
			}
		}
	}
	a.digested(computed)
	a.added(named)
	for _, d := range a.f.Defined {
		if operators[d.Name] && d.Scope != "" {
			a.say("line %d: computes for %s by a %s of its own", d.Line, a.e.Subject, d.Name)
		}
	}
}

// classAsked: isinstance with a class that the report has not.
func (a *anchors) classAsked(expr string) bool {
	return slices.ContainsFunc(pysyntax.Parse("_ = "+expr).Calls, func(c pysyntax.Call) bool {
		return (c.Func == "isinstance" || c.Func == "issubclass" || c.Func == "callable") &&
			!slices.ContainsFunc(words(arg(c, 1)), func(w string) bool { return a.said.word(w) && !a.f.Imported(w) })
	})
}

// chosen are the names whose value a condition on what the subject returned
// decides, and what an except clause set where it caught the absence of a name.
func (a *anchors) chosen(computed map[string]bool) (names []string) {
	tested := (&steer{a.f, a.e.Modules, computed}).tested()
	for _, s := range a.f.Assigns {
		if a.choosesOn(s.Line, computed) || anyMarked(s.Guards, tested) || s.InHandler && !a.catchesSaid() {
			names = append(names, firstOf(s.Target))
		}
	}
	for _, s := range a.f.Assigns { // what a lambda takes is not followed
		if lambda.MatchString(s.Value) && slices.ContainsFunc(a.f.Conditions, func(k pysyntax.Condition) bool { return k.Line == s.Line && decides(k) }) {
			names = append(names, firstOf(s.Target))
		}
	}
	for _, d := range a.f.Defined {
		for _, k := range a.f.Conditions {
			if d.Kind == "function" && k.Line >= d.Line && k.Line <= d.EndLine && decides(k) && anyMarked(k.Reads, computed) {
				names = append(names, d.Name)
			}
		}
	}
	return names
}

// choosesOn: a choice inside an expression of a line, by something computed.
func (a *anchors) choosesOn(line int, computed map[string]bool) bool {
	return slices.ContainsFunc(a.f.Conditions, func(k pysyntax.Condition) bool {
		return k.Line == line && k.Kind != "if" && k.Kind != "while" && decides(k) &&
			(anyMarked(k.Reads, computed) || a.callsSubject(k.Text))
	})
}

// decides: a comparison is a value like any other; what is taken because of one
// is not.
func decides(k pysyntax.Condition) bool {
	switch k.Kind {
	case "if", "while", "ternary", "match", "filter":
		return true
	case "index":
		return comparing.MatchString(k.Text)
	}
	return false
}

// catchesSaid: every except clause names classes that the report speaks of, and
// none that a release without a name or an argument raises.
func (a *anchors) catchesSaid() bool {
	for _, h := range a.f.Handlers {
		if len(h.Classes) == 0 {
			return false
		}
		for _, class := range h.Classes {
			if name := lastPart(class); absence[name] || !a.said.word(name) {
				return false
			}
		}
	}
	return true
}

// madeText are the names that hold text made of what the subject returned.
func (a *anchors) madeText(computed map[string]bool) (names []string) {
	for _, s := range a.f.Assigns {
		if textual(s.Value) && (anyMarked(s.Reads, computed) || a.callsSubject(s.Value)) {
			names = append(names, firstOf(s.Target))
		}
	}
	for _, d := range a.f.Defined {
		if d.Kind == "function" && textual(a.f.Source[d.Span.Start:d.Span.End]) && anyMarked(d.Reads, computed) {
			names = append(names, d.Name)
		}
	}
	return names
}

func textual(code string) bool {
	return textCall.MatchString(dtypeText.ReplaceAllString(code, ""))
}

// digested: a number made of anything at all.
func (a *anchors) digested(computed map[string]bool) {
	for _, call := range a.f.Calls {
		full := strings.TrimPrefix(call.Full, "builtins.")
		if !digests[full] && !strings.HasPrefix(full, "hashlib.") {
			continue
		}
		if anyMarked(call.ArgReads, computed) || a.callsSubject(strings.Join(call.Args, ", ")) {
			a.say("line %d: makes a number of what %s returned (%s)", call.Line, a.e.Subject, full)
		}
	}
}

// callsSubject: an expression that calls into the subject.
func (a *anchors) callsSubject(expr string) bool { return callsInto(a.f, expr, a.e.Modules) }

// callsNamed: an expression that calls something that the report names.
func (a *anchors) callsNamed(expr string) bool {
	return slices.ContainsFunc(pysyntax.Parse("_ = "+expr).Calls, func(c pysyntax.Call) bool { return a.named(callee(c)) })
}

func callee(c pysyntax.Call) string {
	if c.Method != "" {
		return c.Method
	}
	return lastPart(c.Full)
}

// fromNamed are the names whose value can come out of a call of something that
// the report names.
func (a *anchors) fromNamed() map[string]bool {
	influenced := a.f.Influenced(a.e.Modules...)
	var seeds []string
	for _, call := range a.f.Calls {
		if name := callee(call); name == "observe" || call.Func != "" && !influenced[firstOf(call.Func)] || !a.speaksOf(call, name) {
			continue
		}
		text := a.f.Source[call.Span.Start:call.Span.End]
		for _, s := range a.f.Assigns {
			if s.Line == call.Line || strings.Contains(s.Value, text) {
				seeds = append(seeds, firstOf(s.Target))
			}
		}
		for _, d := range a.f.Defined {
			if call.Line >= d.Line && call.Line <= d.EndLine {
				seeds = append(seeds, d.Name)
			}
		}
	}
	if len(seeds) == 0 {
		return map[string]bool{}
	}
	return a.f.From(seeds...)
}

// added: numbers of the script's own beside what was returned. Those that it is
// called with are its input; those that a comparison names must be the report's.
func (a *anchors) added(named map[string]bool) {
	constants := a.constants()
	for line, text := range a.after(named) {
		if m := loopOver.FindStringSubmatch(text); m != nil && !slices.ContainsFunc(words(m[2]), func(w string) bool { return named[w] }) {
			continue // over values of its own
		}
		text = places.ReplaceAllString(text, "$1")
		for _, m := range numbersOf.FindAllStringSubmatchIndex(text, -1) {
			x, err := strconv.ParseFloat(strings.ReplaceAll(text[m[2]:m[3]], "_", ""), 64)
			before, behind := text[:m[2]], text[m[3]:]
			compared := comparedTo.MatchString(before) || comparesAt.MatchString(behind)
			switch {
			case err != nil || trivialNumber(x), math.Abs(x) <= maxTolerance && tolerated.MatchString(before):
			case !compared || !a.said.number(x):
				a.say("line %d: a number of the script's own beside what %s returned (%v)", line, a.e.Subject, x)
			}
		}
		for _, w := range words(text) {
			if constants[w] && !named[w] {
				a.say("line %d: a number of the script's own beside what %s returned (%s)", line, a.e.Subject, w)
			}
		}
	}
	slices.Sort(a.why) // maps have no order
}

// constants are the names that hold one number which says something.
func (a *anchors) constants() map[string]bool {
	held := map[string]bool{}
	for _, s := range a.f.Assigns {
		x, err := strconv.ParseFloat(strings.ReplaceAll(s.Value, "_", ""), 64)
		if s.Kind == "name" && err == nil && !trivialNumber(x) && math.Abs(x) > maxTolerance {
			held[s.Target] = true
		}
	}
	return held
}

// after are the logical lines, by the number of their first, that read what a
// named call returned, without the arguments of the library's calls.
func (a *anchors) after(named map[string]bool) map[int]string {
	text := []byte(codeOnly(a.f))
	influenced := a.f.Influenced(libraries(a.f)...)
	spans := map[int]bool{} // lines with a named call
	for _, call := range a.f.Calls {
		if call.Func != "observe" && a.named(callee(call)) {
			spans[call.Line] = true
		}
		library := call.Func == "" || influenced[firstOf(call.Func)]
		if library && call.Func != "observe" && (a.named(callee(call)) || !a.feeds(call, named)) {
			blankArguments(text, call.Span)
		}
	}
	out := map[int]string{}
	depth, first, line := 0, 1, 1
	var unit []byte
	flush := func() {
		reads := lambda.MatchString(string(unit)) || slices.ContainsFunc(words(string(unit)), func(w string) bool { return named[w] })
		for l := first; l <= line; l++ {
			reads = reads || spans[l]
		}
		if reads {
			out[first] = string(unit)
		}
		unit, first = nil, line+1
	}
	for _, b := range append(text, '\n') {
		switch b {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(depth-1, 0)
		}
		if b != '\n' {
			unit = append(unit, b)
			continue
		}
		if depth == 0 && !strings.HasSuffix(string(unit), `\`) {
			flush()
		} else {
			unit = append(unit, ' ')
		}
		line++
	}
	flush()
	return out
}

// feeds: a call is given what a named call returned.
func (a *anchors) feeds(call pysyntax.Call, named map[string]bool) bool {
	if anyMarked(call.ArgReads, named) {
		return true
	}
	return slices.ContainsFunc(a.f.Calls, func(c pysyntax.Call) bool {
		return c.Span.Start > call.Span.Start && c.Span.End < call.Span.End && a.named(callee(c))
	})
}

// blankArguments blanks what stands between the last pair of parentheses of a
// call, lines and the parentheses kept.
func blankArguments(text []byte, s pysyntax.Span) {
	depth := 0
	for i := min(s.End, len(text)) - 1; i >= max(s.Start, 0); i-- {
		switch {
		case text[i] == ')' || text[i] == ']' || text[i] == '}':
			if depth++; depth > 1 {
				text[i] = ' '
			}
		case text[i] == '(' || text[i] == '[' || text[i] == '{':
			if depth--; depth == 0 {
				return
			}
			text[i] = ' '
		case text[i] != '\n' && depth > 0:
			text[i] = ' '
		}
	}
}
