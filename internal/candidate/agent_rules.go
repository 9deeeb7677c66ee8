package candidate

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// What a language model writes is refused for more than a person's script is:
// it was written to show this one symptom, it can be written again, and whoever
// reads it must be able to see what it does.

var (
	// innards are attributes through which code gets at what is not named in it,
	// or learns which release it runs on.
	innards = lazyre.New(`\.\s*__(globals|code|closure|dict|builtins|subclasses|getattribute|loader|spec|self|wrapped|defaults|kwdefaults|annotations|signature|module|path|all|file|doc|version|version_info)__\b`)
	// clocks tell one execution from a later one: the releases run in a known
	// order. So do the names that a system gives, which only a process has.
	clocks = wordSet(`time.time time.time_ns time.monotonic time.monotonic_ns time.perf_counter time.perf_counter_ns
		time.localtime time.gmtime time.ctime time.strftime time.asctime time.clock_gettime time.clock_gettime_ns
		time.process_time time.thread_time os.times os.getpid os.getppid os.urandom os.getrandom os.stat
		os.path.getmtime os.path.getctime os.path.getatime uuid.uuid1 uuid.uuid4 timeit.default_timer`)
	moments  = lazyre.New(`^(?:datetime|pandas)\b.*\.(?:now|utcnow|today)$|^secrets\.`)
	instants = lazyre.New(`^["'](?:now|today)["']`)
	// frames are the same of frames and generators.
	framesOf = lazyre.New(`\.\s*(f_globals|f_locals|f_back|f_code|tb_frame|gi_frame|cr_frame|ag_frame)\b`)
)

// agentRules are for the scripts of language models only.
func agentRules(r *reader) {
	if r.c.Origin != originAgent || r.nested > 0 {
		return
	}
	if _, ok := withoutShim(r.c.Script); !ok {
		r.refuse(0, "the lines that give it observe and control are not ours")
	}
	r.agentNames()
	r.agentCalls()
	r.agentText()
	r.caughtFeeds()
	r.asksRelease()
	for _, reach := range r.c.Reaches {
		// The sandbox has no network; what another process observes or hides is
		// not to be read in this text.
		if !strings.Contains(reach, "network") && !strings.Contains(reach, "socket") && !strings.Contains(reach, "name server") {
			r.refuse(0, "reaches outside: %s", reach)
		}
	}
}

// agentNames: observe and control mean what the shim says and nothing else.
func (r *reader) agentNames() {
	unbound := map[string]bool{}
	for _, n := range r.f.Undefined() {
		unbound[n.Name] = true
	}
	p := pysyntax.ReadPaths(r.f.Source)
	for _, name := range slices.Sorted(maps.Keys(shimmed)) {
		if p.Uses(name) > 0 && !unbound[name] && !r.f.StarImport {
			r.refuse(0, "gives %s a meaning of its own", name)
		}
	}
	calls := 0
	for _, call := range r.f.Calls {
		if call.Func != "observe" {
			continue
		}
		calls++
		if _, plain := unquoted(arg(call, 0)); !plain || len(call.Args) != 2 || len(call.Keywords) > 0 {
			r.refuse(call.Line, "observe takes a plain string and one value")
		}
	}
	if p.Uses("observe") > calls {
		r.refuse(0, "uses observe otherwise than by calling it")
	}
	if r.f.StarImport {
		r.refuse(0, "imports * and so may give any name a meaning of its own")
	}
	for _, imp := range r.f.Imports {
		switch top := firstOf(imp.Module); top {
		case "__main__", "gc", "ctypes", "cffi", "builtins", "site", "runpy", "code", "_thread":
			r.refuse(imp.Line, "imports %s", top)
		}
	}
}

// agentCalls: no code that is not there to be read, nothing that looks around.
func (r *reader) agentCalls() {
	for _, call := range r.f.Calls {
		full := strings.TrimPrefix(r.resolve(call.Func), "builtins.")
		_, plain := unquoted(arg(call, 0))
		switch {
		case full == "exec" || full == "eval" || full == "compile":
			r.refuse(call.Line, "runs code from a string (%s)", full)
		case looking[full], strings.HasPrefix(full, "inspect."), strings.HasPrefix(full, "gc."):
			r.refuse(call.Line, "looks behind the script (%s)", full)
		case full == "globals" || full == "locals" || full == "vars" && len(call.Args) == 0:
			r.refuse(call.Line, "looks at its own names (%s)", full)
		case (full == "__import__" || full == "importlib.import_module") && !plain:
			r.refuse(call.Line, "imports what its text does not name (%s)", full)
		case clocks[full], moments.MatchString(full), instants.MatchString(strings.Join(call.Args, ",")):
			r.refuse(call.Line, "asks what time it is (%s)", clip(call.Func))
		case full == "contextlib.suppress":
			r.refuse(call.Line, "swallows exceptions (%s)", full)
		}
	}
}

func (r *reader) agentText() {
	for _, s := range r.f.Strings {
		if strings.HasPrefix(s.Value, "/probe") { // where the observer lies in the sandbox
			r.refuse(s.Line, "touches the observer (%q)", clip(s.Value))
		}
	}
	if at := slices.IndexFunc(strings.Split(r.f.Source, "\n"), steers); at >= 0 {
		r.refuse(at+1, "holds characters that steer a terminal or turn the text around")
	}
	text := codeOnly(r.f)
	for i, line := range strings.Split(text, "\n") {
		for _, re := range []*lazyre.Regexp{innards, framesOf} {
			if m := re.FindString(line); m != "" && !inPrint(r.f, i+1) {
				r.refuse(i+1, "looks behind a name (%s)", strings.TrimSpace(m))
			}
		}
		if strings.Contains(line, "sys.modules") || strings.Contains(line, "__builtins__") {
			r.refuse(i+1, "looks at the interpreter's own tables")
		}
	}
}

// steers: what a reader of the file sees is not what runs.
func steers(line string) bool {
	return strings.ContainsFunc(strings.TrimSuffix(line, "\r"), func(c rune) bool {
		return unicode.IsControl(c) && c != '\t' && c != '\f' || unicode.Is(unicode.Bidi_Control, c)
	})
}

// codeOnly is the source with comments and plain strings blanked, lines kept.
func codeOnly(f *pysyntax.File) string {
	text := []byte(f.Source)
	blank := func(s pysyntax.Span) {
		for i := max(s.Start, 0); i < min(s.End, len(text)); i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
	for _, s := range f.Strings {
		if !s.Formatted {
			blank(s.Span)
		}
	}
	for _, c := range f.Comments {
		blank(c.Span)
	}
	return string(text)
}

// inPrint: a line that prints may say which release it runs on.
func inPrint(f *pysyntax.File, line int) bool {
	for _, p := range f.Prints {
		if p.Line == line {
			return len(p.Guards) == 0
		}
	}
	return false
}

// caughtFeeds: what an except clause sets may be observed, not fed to a library:
// that is how a script does one thing where a name exists and another where it
// does not.
func (r *reader) caughtFeeds() {
	var caught []string
	for _, a := range r.f.Assigns {
		if a.InHandler && a.Kind == "name" {
			caught = append(caught, a.Target)
		}
	}
	depends := map[string]bool{}
	if len(caught) > 0 {
		depends = r.f.From(caught...)
	}
	for _, call := range r.f.Calls {
		if !r.callsLibrary(call) {
			continue
		}
		switch {
		case call.InHandler:
			r.refuse(call.Line, "calls a library where something was caught (%s)", clip(call.Func))
		case anyMarked(call.ArgReads, depends) || anyMarked(call.Guards, depends):
			r.refuse(call.Line, "calls a library with, or because of, what an except clause set (%s)", clip(call.Func))
		}
	}
}

// callsLibrary: a function of a library, or a method of something that came out
// of one.
func (r *reader) callsLibrary(call pysyntax.Call) bool {
	if call.Func == "" {
		return false
	}
	if r.imported(call.Func) {
		return thirdParty(r.resolve(call.Func))
	}
	return strings.Contains(call.Func, ".") && r.influenced()[firstOf(call.Func)]
}

func (r *reader) influenced() map[string]bool {
	if r.marked == nil {
		r.marked = r.f.Influenced(libraries(r.f)...)
	}
	return r.marked
}

// libraries are the modules of others that a script imports; the observer is
// none.
func libraries(f *pysyntax.File) (list []string) {
	for _, m := range f.TopModules() {
		if m != "repgen" && m != "repgen_probe" {
			list = append(list, m)
		}
	}
	if list == nil {
		return []string{"-"} // none: an empty list would mean all
	}
	return list
}

// asksRelease: whoever writes a script for one release need not ask which one it
// is. Printing a version is fine.
func (r *reader) asksRelease() {
	for i, line := range strings.Split(codeOnly(r.f), "\n") {
		if inPrint(r.f, i+1) {
			continue
		}
		if m := versionText.FindString(line); m != "" {
			r.refuse(i+1, "reads a version (%s)", m)
		}
		for _, m := range asksLibrary.FindAllStringSubmatch(line, -1) {
			name := m[1] + m[2]
			library := r.imported(name) && thirdParty(r.resolve(name)) || r.influenced()[firstOf(name)]
			if library && !devices.MatchString(m[0]) {
				r.refuse(i+1, "asks what the release has (%s)", clip(m[0]))
			}
		}
	}
	for _, a := range r.f.Attributes {
		if versionSource.MatchString(r.resolve(a.Text)) && r.imported(a.Text) && !inPrint(r.f, a.Line) {
			r.refuse(a.Line, "reads a version (%s)", a.Text)
		}
	}
	for _, call := range r.f.Calls {
		if call.Func != "" && versionSource.MatchString(r.resolve(call.Func)) && !inPrint(r.f, call.Line) {
			r.refuse(call.Line, "reads a version (%s)", call.Func)
		}
	}
}
