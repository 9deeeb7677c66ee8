package candidate

import (
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// descriptorCalls take file descriptors; the positions of those arguments.
var descriptorCalls = map[string][]int{
	"os.write": {0}, "os.writev": {0}, "os.pwrite": {0}, "os.fdopen": {0}, "os.close": {0},
	"os.dup": {0}, "os.dup2": {0, 1}, "os.lseek": {0}, "os.ftruncate": {0}, "os.read": {0},
	"os.sendfile": {0, 1}, "os.set_inheritable": {0}, "os.fsync": {0}, "os.fstat": {0},
	"os.set_blocking": {0}, "fcntl.fcntl": {0}, "fcntl.ioctl": {0}, "fcntl.flock": {0},
	"open": {0}, "io.open": {0}, "io.FileIO": {0}, "socket.fromfd": {0}, "socket.socket": {},
}

// tampering are functions that see or change what the observer sees.
var tampering = map[string]bool{
	"os.closerange": true, "sys.settrace": true, "sys.setprofile": true,
	"threading.settrace": true, "threading.setprofile": true, "sys.addaudithook": true,
	"faulthandler.disable": true, "faulthandler.register": true, "faulthandler.unregister": true,
	"sys.meta_path.insert": true, "sys.meta_path.append": true, "sys.meta_path.clear": true,
	"sys.path_hooks.insert": true, "sys.path_hooks.append": true,
}

// looking are functions with which a script could look for the observer.
var looking = map[string]bool{
	"gc.get_objects": true, "gc.get_referrers": true, "gc.get_referents": true,
	"sys._getframe": true, "sys._current_frames": true, "inspect.stack": true,
	"inspect.currentframe": true, "os._exit": true, "os.fork": true, "os.forkpty": true,
	"faulthandler.enable": true, "atexit.unregister": true, "atexit._clear": true,
	"resource.setrlimit": true, "signal.signal": true,
}

// owned gives an expression whose descriptor the script opened itself.
var owned = lazyre.New(`\.fileno\(\)|os\.(open|dup|pipe|openpty|memfd_create)\(|mkstemp\(|mkdtemp\(|openpty\(`)

// foreignParts are what a function, a frame or a running generator is made of. Of
// the script's own it may look at them; of anybody else's, that is a way to what
// it was not given: the observer, or how a release is written.
var foreignParts = lazyre.New(`^(?:__(?:globals|closure|builtins|subclasses)__|(?:f|gi|cr|ag)_(?:globals|locals|back|builtins|frame)|tb_frame|pythonapi|py_object|PyObj_FromPtr)$`)

// foreignInnards holds for anybody's script. At run time the observer sees the
// same from inside, where the interpreter tells (3.8 and later).
func foreignInnards(r *reader) {
	own := map[string]bool{}
	for _, d := range r.f.Defined {
		own[d.Name] = true
	}
	for i, line := range strings.Split(codeOnly(r.f), "\n") {
		for _, m := range partAccess.FindAllStringSubmatch(line, -1) {
			if foreignParts.MatchString(m[2]) && !own[firstOf(m[1])] {
				r.refuse(i+1, "looks behind a name (%s)", clip(strings.TrimSpace(m[0])))
			}
		}
	}
	for _, s := range r.f.Strings {
		if foreignParts.MatchString(s.Value) && !isDocstring(r.f, s) {
			r.refuse(s.Line, "looks behind a name (%q)", s.Value)
		}
	}
	for _, imp := range r.f.Imports {
		for _, n := range imp.Names {
			if foreignParts.MatchString(n.Name) {
				r.refuse(imp.Line, "looks behind a name (%s)", n.Name)
			}
		}
	}
}

// partAccess is an attribute and, where it is a plain one, whose.
var partAccess = lazyre.New(`([A-Za-z_][\w.]*)?\.\s*(\w+)`)

func observerCalls(r *reader) {
	mine := ownDescriptors(r.f)
	for _, call := range r.f.Calls {
		full := r.resolve(call.Func)
		switch {
		case tampering[full]:
			r.refuse(call.Line, "touches the observer (%s)", full)
		case looking[full]:
			r.note(call.Line, "calls %s", full)
		case strings.HasPrefix(full, "sys.monitoring."):
			r.refuse(call.Line, "touches the observer (%s)", full)
		}
		for _, i := range descriptorCalls[full] {
			if foreign(full, arg(call, i), mine) {
				r.refuse(call.Line, "touches the observer: %s on a descriptor that it did not open (%s)", full, arg(call, i))
			}
		}
	}
}

// ownDescriptors are names that hold descriptors opened by the script.
func ownDescriptors(f *pysyntax.File) map[string]bool {
	mine := map[string]bool{}
	for _, a := range f.Assigns {
		if owned.MatchString(a.Value) {
			mine[a.Target] = true
		}
	}
	return mine
}

// foreign: a literal descriptor from 3 on, or for the calls that take nothing
// else, one that the script was not given by a call of its own.
func foreign(full, expr string, mine map[string]bool) bool {
	if expr == "" {
		return false
	}
	if n, err := strconv.Atoi(strings.ReplaceAll(expr, "_", "")); err == nil {
		return n >= 3 || n < 0
	}
	if !strings.HasPrefix(full, "os.") && !strings.HasPrefix(full, "fcntl.") && !strings.HasPrefix(full, "socket.") {
		return strings.HasPrefix(expr, "int(") // open(path) is the rule
	}
	return !mine[expr] && !owned.MatchString(expr)
}

var (
	observerWord = lazyre.New(`(?i)repgen|sitecustomize|usercustomize`)
	observerPath = lazyre.New(`/proc/(self|\d+|%[ds]|\{[^}]*\}|thread-self)/(fd|fdinfo|environ|mem|maps|task)|/dev/fd`)
)

// observerNames: the observer may be imported for observe and control, and for
// nothing else.
func observerNames(r *reader) {
	for _, imp := range r.f.Imports {
		if observerWord.MatchString(imp.Module) && !onlyObserver(imp) {
			r.refuse(imp.Line, "touches the observer (import %s)", imp.Module)
		}
	}
	for _, s := range r.f.Strings {
		if len(r.c.Refusals) >= maxReasons {
			return
		}
		if observerWord.MatchString(s.Value) && !isDocstring(r.f, s) {
			r.refuse(s.Line, "touches the observer (%q)", clip(s.Value))
		}
		if m := observerPath.FindString(s.Value); m != "" {
			r.refuse(s.Line, "touches the observer (%s)", m)
		}
	}
	for _, a := range r.f.Attributes {
		full := r.resolve(a.Text)
		if observerWord.MatchString(full) && r.imported(a.Text) && !shimmed[lastPart(full)] {
			r.refuse(a.Line, "touches the observer (%s)", a.Text)
		}
	}
}

func onlyObserver(imp pysyntax.Import) bool {
	for _, name := range imp.Names {
		if !shimmed[name.Name] {
			return false
		}
	}
	return len(imp.Names) > 0 && !imp.Dynamic
}

// isDocstring: a string statement of its own says something and does nothing.
func isDocstring(f *pysyntax.File, s pysyntax.String) bool {
	for _, st := range f.Statements {
		if st.Span == s.Span {
			return true
		}
	}
	return false
}

// hooks are attributes of Python's own modules through which the end of a
// script is seen from inside.
var hooks = map[string]bool{
	"sys.excepthook": true, "sys.unraisablehook": true, "threading.excepthook": true,
	"sys.displayhook": true, "sys.breakpointhook": true, "sys.meta_path": true, "sys.path_hooks": true,
	"sys.__excepthook__": true, "os.environ": true,
}

func observerHooks(r *reader) {
	for _, a := range r.f.Assigns {
		if a.Kind != "attribute" || !r.imported(a.Target) {
			continue
		}
		switch full := r.resolve(a.Target); {
		case hooks[full]:
			r.refuse(a.Line, "touches the observer (sets %s)", full)
		case !thirdParty(full) && !strings.Contains(full, "builtins"):
			r.note(a.Line, "replaces %s", full)
		}
	}
	for _, call := range r.f.Calls {
		if full := r.resolve(call.Func); full == "setattr" || full == "delattr" {
			name, _ := unquoted(arg(call, 1))
			if hooks[r.resolve(arg(call, 0))+"."+name] {
				r.refuse(call.Line, "touches the observer (%s of %s.%s)", full, arg(call, 0), name)
			}
		}
	}
}

func clip(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}
