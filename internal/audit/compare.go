package audit

import (
	"fmt"
	"slices"
	"strings"
)

// Divergence is the first answer that differs, or the first question that does.
type Divergence struct {
	Call     string `json:"call"`  // "timm.optim.create_optimizer_v2(...)"
	Place    string `json:"place"` // "line 12, column 5", the script's
	Part     string `json:"part,omitempty"`
	Reported string `json:"reported"`
	Control  string `json:"control"`
	// ArgumentsEqual: the question was the same on both sides.
	ArgumentsEqual bool `json:"arguments_equal"`
}

// String is the line that is printed.
func (d *Divergence) String() string {
	between := " -> "
	if !d.ArgumentsEqual {
		between = " is given "
	}
	return fmt.Sprintf("%s%s%s / %s (%s)", d.Call, between, strings.TrimSpace(d.Part+" "+d.Reported), d.Control, d.Place)
}

// Finding is what two logs say of a script.
type Finding struct {
	Consequence Consequence `json:"consequence"`
	Reason      string      `json:"reason,omitempty"`
	Divergence  *Divergence `json:"divergence,omitempty"`
}

// origin is an answer that differs, with what it is worth.
type origin struct {
	question int
	weight   weight
	why      string
	from     int // the first answer from which it was made: itself, or an earlier one
	threw    bool
	left     *pair // what a call has changed in place, where its answer is the same
}

// walker goes along two logs at once.
type walker struct {
	reported, control *Log
	suspect           Suspect
	noise             map[int]bool
	origins           []origin
	byPair            map[string]int // where a value came from: the best origin of it
	made              map[int]int    // question whose arguments differ -> origin
	before            map[int]int    // question -> origins when it was asked
	branch            int            // the origin that last sent the sides different ways, -1
	used              int            // the origin of the last choice that differs, -1
	usedAt            int            // that choice
	lastCall          int            // the last of the suspect that has answered one question, -1
	deferred          bool           // the script has let something run at another time
}

// Compare says what follows from the logs of the reported side and of a control.
// again is a second one of the reported side, or nil: answers that differ between
// the two carry no weight.
func Compare(reported, control, again *Log, s Suspect) Finding {
	w := &walker{
		reported: reported, control: control, suspect: s, noise: noise(reported, again),
		byPair: map[string]int{}, made: map[int]int{}, before: map[int]int{}, branch: -1, used: -1, lastCall: -1,
	}
	parted := false
	for i := range max(len(reported.steps), len(control.steps)) {
		if i >= len(reported.steps) || i >= len(control.steps) || !w.together(reported.steps[i], control.steps[i]) {
			parted = true
			break
		}
		st := reported.steps[i]
		if st.end {
			w.told(st.question)
		} else if f := w.asked(st.question); f != nil {
			return *f
		}
	}
	w.died()
	return w.conclude(parted)
}

func (w *walker) together(a, b step) bool {
	return a == b && w.reported.Questions[a.question].Site == w.control.Questions[b.question].Site
}

// noise are the questions of the first log that another execution of the same
// side answers otherwise, or does not ask.
func noise(a, b *Log) map[int]bool {
	differ := map[int]bool{}
	if b == nil {
		return differ
	}
	apart := len(a.Questions)
	for i, st := range a.steps {
		if i >= len(b.steps) || st != b.steps[i] || a.Questions[st.question].Site != b.Questions[st.question].Site {
			apart = st.question
			break
		}
		if st.end && !equal(a.Questions[st.question].answer(), b.Questions[st.question].answer()) {
			differ[st.question] = true
		}
	}
	for n := apart; n < len(a.Questions); n++ {
		differ[n] = true
	}
	return differ
}

// asked looks at a question; a finding ends the comparison.
func (w *walker) asked(n int) *Finding {
	a, b := w.reported.Questions[n], w.control.Questions[n]
	w.before[n] = len(w.origins)
	w.deferred = w.deferred || a.defers()
	apart := w.sources(pair{Value{Kind: "arguments", Size: len(a.Args), Elems: a.Args}, Value{Kind: "arguments", Size: len(b.Args), Elems: b.Args}})
	worst := -1
	for _, p := range apart {
		o := w.trace(p)
		switch {
		case o < 0 && near(p.reported, p.control):
			continue
		case o < 0 && w.branch >= 0 && w.origins[w.branch].weight >= asks:
			o = w.branch
		case o < 0 && w.changed(p) >= 0:
			call := w.changed(p)
			o = w.add(origin{question: call, weight: suspects, from: -1, left: &p}, p)
		case o < 0 && w.branch >= 0:
			o = w.add(origin{question: n, weight: chosen, from: w.origins[w.branch].from}, pair{})
		case o < 0:
			o = w.add(origin{question: n, weight: unseen, why: "something that no recorded answer explains", from: -1}, pair{})
		}
		if worst < 0 || w.origins[o].weight > w.origins[worst].weight {
			worst = o
		}
	}
	if worst < 0 {
		return nil
	}
	w.made[n] = worst
	overIt := (a.Site.Kind == "iter" || a.Site.Kind == "next") && w.origins[worst].weight == asks
	if !a.choice() && !overIt {
		return nil // what it goes over may also be an answer, or chance
	}
	switch o := w.origins[worst]; {
	case o.weight == asks:
		return w.refuse(o)
	case o.weight == unseen:
		return &Finding{Refused, "the script chose another input: an argument of " + a.call(w.reported) + " differs, and no answer of the package explains it", w.chosen(n, apart)}
	}
	if w.used < 0 || w.origins[worst].weight != chance {
		w.used, w.usedAt = worst, n
	}
	if a.Site.Kind == "test" {
		w.branch = worst
	}
	return nil
}

// sources are the largest parts of two values that differ and that an answer
// gave; where none did, the smallest that differ.
func (w *walker) sources(p pair) []pair {
	if equal(p.reported, p.control) {
		return nil
	}
	if w.trace(p) >= 0 || !p.alike() {
		return []pair{p}
	}
	var out []pair
	for i := range p.reported.Elems {
		out = append(out, w.sources(pair{p.reported.Elems[i], p.control.Elems[i]})...)
	}
	if len(out) == 0 {
		return []pair{p} // by hash alone
	}
	return out
}

// changed is the suspect's call that may have changed an array or a container in
// place, -1 for none: the last one before. What the script itself changes is a
// question or made of answers, but for what it has others do at another time.
func (w *walker) changed(p pair) int {
	switch p.reported.Kind {
	case "array", "list", "dict", "set":
	default:
		return -1
	}
	if p.reported.Kind != p.control.Kind || w.deferred {
		return -1
	}
	return w.lastCall
}

// trace finds the answer from which a differing value came: the best one, since
// a value that a good answer gave could have been taken from it.
func (w *walker) trace(p pair) int {
	if o, ok := w.byPair[p.key()]; ok {
		return o
	}
	return -1
}

// told looks at an answer.
func (w *walker) told(n int) {
	if q := w.reported.Questions[n]; q.Site.Kind == "call" && w.suspect.has(q.Whose) {
		if _, differs := w.made[n]; !differs {
			w.lastCall = n
		}
	}
	p := pair{w.reported.Questions[n].answer(), w.control.Questions[n].answer()}
	if equal(p.reported, p.control) {
		return
	}
	threw := w.reported.Questions[n].Threw != w.control.Questions[n].Threw
	o := w.judge(n, p, threw)
	o.question, o.threw = n, threw
	at := w.add(o, p)
	if threw {
		w.branch = at
	}
}

// judge says what an answer that differs is worth.
func (w *walker) judge(n int, p pair, threw bool) origin {
	q := w.reported.Questions[n]
	if w.noise[n] {
		return origin{weight: chance, from: -1}
	}
	if o, ok := w.made[n]; ok && w.origins[o].weight != chance {
		return w.origins[o] // chance did not reach this answer, or it would be noise itself
	}
	if q.Whose == "__main__" {
		return w.inner(n, p, threw)
	}
	for _, r := range rules {
		if r.applies(w.suspect, q) {
			return origin{weight: r.weight, why: r.why, from: -1}
		}
	}
	return origin{weight: unseen, from: -1} // the last rule applies to all
}

// inner is what a function of the script's own gave: its answer comes from what
// was asked inside.
func (w *walker) inner(n int, p pair, threw bool) origin {
	worst := -1
	for _, d := range w.sources(p) {
		o := w.trace(d)
		if o < 0 {
			worst = -1
			break
		}
		if worst < 0 || w.origins[o].weight > w.origins[worst].weight {
			worst = o
		}
	}
	for o := len(w.origins) - 1; worst < 0 && o >= w.before[n]; o-- {
		if !threw || w.origins[o].threw {
			worst = o
		}
	}
	if worst < 0 {
		return origin{weight: unseen, why: "code of the script's own that is not looked into", from: -1}
	}
	return w.origins[worst]
}

func (w *walker) add(o origin, p pair) int {
	at := len(w.origins)
	if o.from < 0 {
		o.from = at
	}
	w.origins = append(w.origins, o)
	for _, in := range p.within() {
		if !equal(in.reported, in.control) {
			if was, ok := w.byPair[in.key()]; !ok || o.weight <= w.origins[was].weight {
				w.byPair[in.key()] = at
			}
		}
	}
	return at
}

// died: a side that never came to its end did not return from the last call that
// it made.
func (w *walker) died() {
	if w.reported.Ended || w.reported.Cut != "" {
		return
	}
	for n := len(w.reported.Questions) - 1; n >= 0; n-- {
		q := w.reported.Questions[n]
		if q.Answer != nil || q.Threw || q.Site.Kind == "test" || q.Site.Kind == "given" || q.Site.Kind == "store" || q.Site.Kind == "iter" {
			continue
		}
		if _, reached := w.before[n]; reached {
			o := w.judge(n, pair{}, true)
			o.question, o.threw = n, true
			w.branch = w.add(o, pair{q.answer(), w.control.Questions[n].answer()})
		}
		return
	}
}

// conclude says what follows. parted: the sides went different ways.
func (w *walker) conclude(parted bool) Finding {
	cause := w.branch
	if !parted && w.used >= 0 && (cause < 0 || w.usedAt > w.origins[cause].question) {
		cause = w.used
	}
	if w.used >= 0 && w.origins[w.used].weight == chosen {
		cause = w.used
	}
	cut := w.reported.Cut != "" || w.control.Cut != ""
	switch {
	case cause < 0 && cut:
		return Finding{Silent, "the record was cut before anything differed", nil}
	case cause < 0 && parted:
		return Finding{Refused, "the script went another way on the control, and no answer of the package explains it", nil}
	case cause < 0:
		return Finding{Lead, "the sides asked the same and were told the same: what differs is compiled or hidden", nil}
	}
	o := w.origins[cause]
	if o.weight >= asks {
		if !w.ends(o) {
			return *w.refuse(o)
		}
		o.weight, o.from = suspects, cause
	}
	root := w.origins[o.from]
	d := w.divergence(root.question)
	if root.left != nil {
		_, d.Reported, d.Control = root.left.first()
		d.Part = "leaves"
	}
	switch call := w.reported.Questions[root.question].call(w.reported); {
	case o.weight == chance || w.noise[root.question]:
		return Finding{Lead, call + " answers differently in two executions of one side as well", d}
	case o.weight == chosen:
		return Finding{Lead, "the script chose what it asks next by the answer of " + call, d}
	case o.weight == private:
		return Finding{Lead, call + " is not of the package's public interface", d}
	case !w.named(root.question):
		return Finding{Lead, "the sides differ first at " + call + ", which the report does not speak of", d}
	case w.suspect.Ends && w.elsewhere(o):
		return Finding{Lead, "the call that fails was made on one side only", d}
	}
	return Finding{Counts, "", d}
}

// ends: a missing name or module is what the report is about where it ends the
// script, as an error that nothing catches.
func (w *walker) ends(o origin) bool {
	q := w.reported.Questions[o.question]
	return w.suspect.Ends && o.threw && (q.Site.Kind == "attr" || q.Site.Kind == "import") && q.Threw &&
		last(w.reported) == o.question && w.named(o.question)
}

// last is the question whose exception ended a log, -1 for none.
func last(l *Log) int {
	n := -1
	for _, st := range slices.Backward(l.steps) {
		if !st.end || !l.Questions[st.question].Threw {
			break
		}
		n = max(n, st.question)
	}
	return n
}

// elsewhere: a side ends with an exception of a later call, which the other side
// never made.
func (w *walker) elsewhere(o origin) bool {
	end := last(w.reported)
	if end < 0 {
		end = last(w.control)
	}
	return end > o.question && !slices.ContainsFunc(w.origins, func(x origin) bool { return x.question == end && x.threw })
}

func (w *walker) refuse(o origin) *Finding {
	if o.from >= 0 {
		o = w.origins[o.from]
	}
	q := w.reported.Questions[o.question]
	return &Finding{Refused, fmt.Sprintf("what it does follows from %s at line %d: the script asks %s", q.call(w.reported), q.Site.Line, o.why), w.divergence(o.question)}
}

// divergence lays out an answer that differs.
func (w *walker) divergence(n int) *Divergence {
	q := w.reported.Questions[n]
	var other Value
	if n < len(w.control.Questions) {
		other = w.control.Questions[n].answer()
	}
	d := &Divergence{Call: q.call(w.reported), Place: q.place(), ArgumentsEqual: true}
	d.Part, d.Reported, d.Control = pair{q.answer(), other}.first()
	_, made := w.made[n]
	d.ArgumentsEqual = !made
	return d
}

// chosen lays out an argument that differs.
func (w *walker) chosen(n int, apart []pair) *Divergence {
	q := w.reported.Questions[n]
	d := &Divergence{Call: q.call(w.reported), Place: q.place()}
	d.Part, d.Reported, d.Control = apart[0].first()
	return d
}

// symbols are Python's, by the name of the node in its syntax tree.
var symbols = map[string]string{
	"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**", "MatMult": "@",
	"BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<", "RShift": ">>",
	"Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "In": "in", "NotIn": "not in", "Is": "is", "IsNot": "is not",
}

// operation is an operator with what it works on: "uint8 (2, 3) + 300".
func (q *Question) operation() string {
	var parts []string
	for _, v := range q.Args {
		if v.Elems = v.Elems[:min(len(v.Elems), 4)]; v.Kind == "array" {
			v.Elems, v.Figures = nil, nil
		}
		parts = append(parts, v.String())
	}
	symbol, known := symbols[q.Site.Text]
	if !known {
		symbol, known = symbols[strings.TrimPrefix(q.Site.Text, "I")] // += is IAdd
	}
	switch {
	case len(parts) != 2:
		return fmt.Sprintf("%s of %s", q.Site.Text, strings.Join(parts, ", "))
	case q.Site.Text == "getitem":
		return fmt.Sprintf("%s[%s]", parts[0], parts[1])
	case !known:
		return fmt.Sprintf("%s of %s", q.Site.Text, strings.Join(parts, ", "))
	}
	return parts[0] + " " + symbol + " " + parts[1]
}

func (q *Question) place() string {
	return fmt.Sprintf("line %d, column %d", q.Site.Line, q.Site.Column+1)
}

// call is a question as people read it: the name by which a package offers what
// was called, with the call that gave the object before it.
func (q *Question) call(l *Log) string {
	text := q.name()
	if of := q.object(); of != nil && of.Size < len(l.Questions) && l.Questions[of.Size] != q {
		from := l.Questions[of.Size]
		text = strings.TrimSuffix(from.name(), "(...)") + "(...)." + lastName(q.Site.Text)
	}
	switch q.Site.Kind {
	case "call":
		return text + "(...)"
	case "test":
		return "the test of " + text
	case "op":
		return q.operation()
	case "next":
		return "iteration over " + text
	case "enter":
		return "with " + text
	case "import":
		return "import " + text
	case "given":
		return "what the script gives back to a package"
	}
	return text
}

// object is the earlier answer whose attribute or method is asked.
func (q *Question) object() *Value {
	if len(q.Args) == 0 {
		return nil
	}
	v := &q.Args[0]
	if (v.Kind == "method" || v.Kind == "builtin") && len(v.Elems) > 0 {
		v = &v.Elems[0]
	}
	if v.Kind != "object" {
		return nil
	}
	return v
}

// names are the words by which a report would speak of a question. An operator
// has few: what it works on, and what it is called.
func (q *Question) names() []string {
	if q.Site.Kind != "op" {
		return []string{lastName(q.name()), lastName(q.Site.Text)}
	}
	op := strings.ToLower(q.Site.Text)
	names := []string{op, "__" + op + "__"}
	for _, v := range q.Args {
		if kind, _, _ := strings.Cut(v.Text, " "); v.Kind == "array" || v.Kind == "scalar" || v.Kind == "object" || v.Kind == "other" {
			names = append(names, kind)
		}
	}
	return names
}

// named: the report speaks of the call, or of one that gave what it works on.
func (w *walker) named(n int) bool {
	if w.suspect.Named == nil {
		return true
	}
	rest, seen := []int{n}, map[int]bool{}
	for len(rest) > 0 {
		q := w.reported.Questions[rest[0]]
		rest = rest[1:]
		for _, name := range q.names() {
			if name != "" && w.suspect.Named(name) {
				return true
			}
		}
		for _, v := range q.Args {
			if len(v.Elems) > 0 && (v.Kind == "method" || v.Kind == "builtin" || v.Kind == "named") {
				v = v.Elems[0]
			}
			if v.Kind == "object" && v.Size < n && !seen[v.Size] {
				seen[v.Size] = true
				rest = append(rest, v.Size)
			}
		}
	}
	return false
}
