package audit

import (
	"slices"
	"strings"
)

// Consequence is what follows from the first divergence.
type Consequence string

const (
	// Counts: a public call of the suspect answered otherwise to one question.
	Counts Consequence = "counts"
	// Lead: there is a difference, and not that it is the reported one.
	Lead Consequence = "lead"
	// Refused: the script chose what it asks by something else than the suspect's
	// answer, and proves nothing.
	Refused Consequence = "refused"
	// Silent: the audit says nothing: it was cut, or the script behaved otherwise
	// than without it.
	Silent Consequence = "silent"
)

// weight of an answer that differs although the question was the same.
type weight int

const (
	suspects weight = iota // the suspect's public interface
	private                // the suspect's, by a name that is not public
	chosen                 // the script's, by way of an answer of the suspect's
	chance                 // it differs between two executions of one side too
	asks                   // the script asks which release it runs on
	unseen                 // nobody knows what it comes from
)

// Suspect is what the audit looks for.
type Suspect struct {
	// Modules are import roots of the packages that differ between the sides.
	Modules []string
	// Named says that the report speaks of a name, by its last part; nil: of any.
	Named func(name string) bool
	// Ends: the symptom is how the script ends on one side (an exception, a
	// signal, a hang), so that the last call there is the judged one.
	Ends bool
}

func (s Suspect) has(root string) bool { return root != "" && slices.Contains(s.Modules, root) }

// reflection are functions about what a release has, by their last name. Their
// answer is no behaviour of it.
var reflection = strings.Fields(`hasattr getattr dir vars type isinstance issubclass callable id hash getsizeof signature
	getfullargspec getargspec getsource getsourcelines getsourcefile getfile getmembers getmro getdoc getmodule find_spec find_loader find_module
	get_type_hints get_annotations version distribution distributions metadata requires files entry_points packages_distributions
	import_module __import__ exists isfile isdir listdir glob iglob walk stat getsize getmtime open which reload get_distribution
	iter_modules walk_packages getrusage locals globals show_versions show_config __subclasses__ mro`)

// state are builtins that hand a value on where the log does not see it.
var state = strings.Fields("setattr delattr exec eval compile __import__ import_module")

// later are calls after which code of the script's may run unseen, by last name.
var later = strings.Fields(`Thread Timer ThreadPoolExecutor ProcessPoolExecutor Pool start_new_thread submit apply_async run_in_executor fork
	signal setitimer settrace setprofile register finalize add_done_callback excepthook set_trace`)

// defers says that a call lets something run at another time, or elsewhere.
func (q *Question) defers() bool {
	return q.Site.Kind == "call" && q.Whose == "" && slices.Contains(later, lastName(q.name()))
}

// rule is one row of the table: the first that applies decides over an answer
// that differs although the question was the same.
type rule struct {
	applies func(s Suspect, q *Question) bool
	weight  weight
	why     string
}

var rules = []rule{
	{isKind("import"), asks, "what can be imported"},
	{func(_ Suspect, q *Question) bool { return q.Site.Kind == "attr" && offered(q) }, asks, "what the release has"},
	{func(_ Suspect, q *Question) bool { return q.Site.Kind == "attr" && dunder(lastName(q.Site.Text)) }, asks, "what the release has"},
	{func(_ Suspect, q *Question) bool {
		return q.Site.Kind == "call" && slices.Contains(reflection, lastName(q.name()))
	}, asks, "which release it runs on"},
	{func(_ Suspect, q *Question) bool { return aboutVersion(lastName(q.name())) }, asks, "which release it runs on"},
	{func(s Suspect, q *Question) bool { return s.has(q.Whose) && hiddenName(s, q.name()) }, private, "a name that is not public"},
	{func(s Suspect, q *Question) bool { return s.has(q.Whose) }, suspects, ""},
	{func(s Suspect, q *Question) bool {
		return slices.ContainsFunc(q.Args, func(v Value) bool { return v.own(s) })
	}, suspects, ""},
	{isKind("call"), asks, "something that is not the package under suspicion"},
	{func(Suspect, *Question) bool { return true }, unseen, "something that no recorded answer explains"},
}

func isKind(kind string) func(Suspect, *Question) bool {
	return func(_ Suspect, q *Question) bool { return q.Site.Kind == kind }
}

// offered: an attribute of a module, class or function, not of an object.
func offered(q *Question) bool { return len(q.Args) > 0 && q.Args[0].public() }

// name is the callee's, as the script or its package calls it.
func (q *Question) name() string {
	if q.Site.Kind == "call" && len(q.Args) > 0 && q.Args[0].Kind == "public" && q.Args[0].Text != "" {
		return q.Args[0].Text
	}
	return q.Site.Text
}

func lastName(text string) string {
	text = strings.TrimRight(text, "(.)[]")
	return text[strings.LastIndexAny(text, ".)]")+1:]
}

func dunder(name string) bool { return strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") }

// aboutVersion: "__version__", "get_version", "VERSION_INFO", not "conversion".
func aboutVersion(name string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToLower(name), "_"), func(word string) bool { return word == "version" || word == "versions" })
}

// hiddenName: a part of the package's own name begins with one underscore. What
// the script calls its objects says nothing.
func hiddenName(s Suspect, text string) bool {
	parts := strings.Split(strings.TrimRight(text, "(.)"), ".")
	if !s.has(parts[0]) {
		parts = parts[len(parts)-1:]
	}
	return slices.ContainsFunc(parts, func(part string) bool { return strings.HasPrefix(part, "_") && !dunder(part) })
}

// choice says of a question that what it is asked with decides over what is
// shown: a package is given it, the script goes one way or another by it, or it
// is observed. Text, sums and prints on the way decide nothing by themselves.
func (q *Question) choice() bool {
	switch q.Site.Kind {
	case "test", "given", "store":
		return true
	}
	if q.Whose != "" && q.Whose != "__main__" || q.observes() {
		return true
	}
	if q.Site.Kind != "call" {
		return false
	}
	return slices.Contains(state, lastName(q.Site.Text)) && lastName(q.Site.Text) != "print"
}

// observes: repgen's own observe.
func (q *Question) observes() bool {
	return q.Site.Kind == "call" && lastName(q.Site.Text) == "observe" && (q.Site.Text == "observe" || strings.HasPrefix(q.Site.Text, "repgen"))
}
