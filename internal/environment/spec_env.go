package environment

import (
	"maps"
	"regexp"
	"strings"

	"github.com/repgen/repgen/internal/candidate"
)

// ownNames are variables that belong to the sandbox, the observer or the
// loader: a report that could set them could blind the observer or run a
// library of its own in the interpreter's place.
var ownNames = []string{
	"PATH", "HOME", "TMPDIR", "USER", "SHELL", "PWD", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP",
	"PYTHONNOUSERSITE", "PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE", "PYTHONEXECUTABLE",
	"PYTHONINSPECT", "PYTHONPLATLIBDIR", "PYTHONSAFEPATH", "PYTHONBREAKPOINT", "PYTHONUSERBASE",
	"VIRTUAL_ENV", "BASH_ENV", "ENV", "IFS", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
}

var ownPrefixes = []string{"LD_", "DYLD_", "REPGEN_", "UV_", "PIP_", "GIT_", "SSH_"}

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)

// environ collects the variables that the reporter set. The candidate's win:
// it was made from the report with more care.
func (w *inference) environ() {
	all := map[string]string{}
	// Those that the script sets by itself are set from the start too: the
	// certificate imports the same packages without the script.
	for _, v := range w.in.Report.Env {
		all[v.Name] = v.Value
	}
	maps.Copy(all, w.in.Candidate.Env)
	for _, name := range sortedNames(all) {
		if why := refusedEnv(name, all[name]); why != "" {
			w.edit("variable %s left out: %s", clip(name, 40), why)
			continue
		}
		w.setEnv(name, all[name])
	}
}

func (w *inference) setEnv(name, value string) {
	if w.spec.Env == nil {
		w.spec.Env = map[string]string{}
	}
	w.spec.Env[name] = value
}

// refusedEnv says why a variable is not passed on, "" when it is.
func refusedEnv(name, value string) string {
	if !envName.MatchString(name) || strings.ContainsRune(value, 0) || len(value) > 4096 {
		return "no usable name and value"
	}
	for _, own := range ownNames {
		if name == own {
			return "it belongs to the sandbox"
		}
	}
	for _, p := range ownPrefixes {
		if strings.HasPrefix(name, p) {
			return "it belongs to the sandbox"
		}
	}
	if candidate.ForbiddenEnv(name) {
		return "no report may set it"
	}
	return ""
}
