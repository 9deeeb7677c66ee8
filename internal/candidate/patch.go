package candidate

import (
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// setting: a path whose attributes are there to be assigned.
	setting = lazyre.New(`(?i)(^|\.)\w*(config|options?|backends?|flags?|rcparams|settings?|defaults?|params)(\.|$)`)
	// builtinType: np.bool = bool and its like bring a removed alias back.
	builtinType = map[string]bool{"bool": true, "int": true, "float": true, "complex": true, "object": true, "str": true}
	// patchers are packages made for patching.
	patchers = map[string]bool{"forbiddenfruit": true, "gorilla": true, "wrapt": true, "undecorated": true}
)

// patchedAttributes: an assignment to what belongs to a library changes the
// subject. A plain value in a settings object is how libraries are configured.
func patchedAttributes(r *reader) {
	for _, a := range r.f.Assigns {
		switch a.Kind {
		case "attribute":
			r.patchedAttribute(a)
		case "subscript":
			r.patchedItem(a)
		}
	}
	for _, imp := range r.f.Imports {
		if top, _, _ := strings.Cut(imp.Module, "."); patchers[top] {
			r.refuse(imp.Line, "patches other code (import %s)", imp.Module)
		}
	}
}

func (r *reader) patchedAttribute(a pysyntax.Assign) {
	if strings.HasPrefix(a.Target, "type(") || strings.Contains(a.Target, ".__class__.") {
		r.refuse(a.Line, "patches a class (%s)", a.Target)
		return
	}
	if !r.imported(a.Target) {
		return
	}
	full := r.resolve(a.Target)
	owner, name := full[:max(0, strings.LastIndexByte(full, '.'))], lastPart(full)
	top, _, _ := strings.Cut(full, ".")
	switch {
	case top == "builtins" || top == "__builtins__":
		r.refuse(a.Line, "patches %s", full)
	case !thirdParty(full) || setting.MatchString(owner) || name == "show":
	case strings.HasPrefix(name, "__"):
		r.refuse(a.Line, "patches %s", full)
	case a.Literal && a.Value != "None" && !r.called(full):
		r.note(a.Line, "sets %s", full)
	case builtinType[name] && (a.Value == name || strings.HasPrefix(lastPart(a.Value), name)):
		r.note(a.Line, "brings %s back", full)
	default:
		r.refuse(a.Line, "patches %s", full)
	}
}

func (r *reader) called(full string) bool {
	for _, call := range r.f.Calls {
		if call.Func != "" && r.resolve(call.Func) == full {
			return true
		}
	}
	return false
}

// patchedItem: namespaces written as dictionaries.
func (r *reader) patchedItem(a pysyntax.Assign) {
	full := r.resolve(a.Full)
	switch {
	case full == "sys.modules":
		r.refuse(a.Line, "replaces a module (%s)", a.Target)
	case strings.HasSuffix(full, ".__dict__") && r.imported(a.Full),
		strings.HasPrefix(a.Target, "vars(") && len(a.Target) > 5 && r.importedArgument(a.Target),
		strings.HasPrefix(full, "__builtins__"):
		r.refuse(a.Line, "patches a namespace (%s)", a.Target)
	}
}

func (r *reader) importedArgument(text string) bool {
	inner, _, _ := strings.Cut(text[strings.IndexByte(text, '(')+1:], ")")
	return r.imported(inner)
}

// patchedByCall: setattr and the mock library.
func patchedByCall(r *reader) {
	for _, call := range r.f.Calls {
		full := r.resolve(call.Func)
		switch {
		case full == "setattr", full == "delattr", strings.HasSuffix(full, ".__setattr__") && call.Method == "__setattr__":
			r.patchedBySetattr(call, full)
		case isMock(full):
			if !strings.Contains(arg(call, 0), "environ") {
				r.refuse(call.Line, "patches other code (%s)", call.Func)
			}
		case call.Method == "setattr" && len(call.Args) >= 2, full == "types.ModuleType":
			r.refuse(call.Line, "patches other code (%s)", call.Func)
		case full == "importlib.reload":
			r.note(call.Line, "reloads a module")
		case strings.HasPrefix(full, "sys.modules."):
			r.note(call.Line, "changes sys.modules")
		}
	}
}

func isMock(full string) bool {
	for _, p := range []string{"unittest.mock.patch", "mock.patch", "mocker.patch"} {
		if full == p || strings.HasPrefix(full, p+".") {
			return true
		}
	}
	return false
}

func (r *reader) patchedBySetattr(call pysyntax.Call, full string) {
	owner := arg(call, 0)
	target := r.resolve(owner)
	switch {
	case strings.HasPrefix(owner, "type(") || strings.HasSuffix(owner, ".__class__"):
		r.refuse(call.Line, "patches a class (%s of %s)", full, owner)
	case !plainName.MatchString(owner) || !r.imported(owner) || setting.MatchString(target):
	case thirdParty(target) || strings.HasPrefix(target, "builtins"):
		name, _ := unquoted(arg(call, 1))
		r.refuse(call.Line, "patches %s.%s", target, name)
	}
}

func patchedDeletes(r *reader) {
	for _, d := range r.f.Deletes {
		if !strings.Contains(d.Target, ".") {
			continue
		}
		switch full := r.resolve(d.Target); {
		case strings.HasPrefix(d.Target, "sys.modules["):
			r.note(d.Line, "changes sys.modules")
		case strings.HasPrefix(d.Target, "os.environ["):
		case r.imported(d.Target) && (thirdParty(full) || strings.HasPrefix(full, "builtins")) && !strings.Contains(d.Target, "["):
			r.refuse(d.Line, "patches %s (del)", full)
		}
	}
}
