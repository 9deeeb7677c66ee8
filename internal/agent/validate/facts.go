package validate

import (
	"context"
	"maps"
	"slices"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/pydist"
)

// maxFacts bounds how many names are looked up at once: more would fill a prompt
// (a guess).
const maxFacts = 60

// Facts says what the environment itself knows: the exact installed versions,
// by the lock, and for each dotted name what import and inspect say in the
// sandbox, in one execution. A name that is not there comes back with names like
// it, one that could not be looked up with the reason. A box without an
// environment gives the subject's name alone. The error is for infrastructure
// and cancellation.
func Facts(ctx context.Context, b Box, subject string, names []string) (task.Facts, error) {
	f := task.Facts{Subject: subject}
	if b.Env == nil {
		return f, nil
	}
	f.Python = b.Env.Lock.Python
	if b.Env.Python.Version != "" {
		f.Python = b.Env.Python.Version
	}
	for _, p := range b.Env.Lock.Packages {
		if slices.Contains(b.Env.Lock.LeftOut, p.Name) {
			continue // resolved, and not installed
		}
		f.Packages = append(f.Packages, task.Installed{Name: p.Name, Version: p.Version})
	}
	f.Version = versionOf(f.Packages, subject)
	wanted := factNames(names)
	if b.Sandbox == nil || len(wanted) == 0 {
		return f, nil
	}
	found, err := b.lookUp(ctx, wanted)
	for _, name := range wanted {
		f.Signatures = append(f.Signatures, asSignature(name, found[name]))
	}
	return f, err
}

// versionOf is the subject's, or that of the variant that stands in for it.
func versionOf(packages []task.Installed, subject string) string {
	for _, want := range append([]string{pydist.Normalize(subject)}, pydist.Variants(subject)...) {
		for _, p := range packages {
			if p.Name == want {
				return p.Version
			}
		}
	}
	return ""
}

// factNames keeps what is a dotted name, once each.
func factNames(names []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, n := range names {
		if len(n) > maxWord || !dottedForm.MatchString(n) || seen[n] || len(out) == maxFacts {
			continue
		}
		seen[n] = true
		out = append(out, n)
	}
	return out
}

// lookUp asks for those names that are not known yet.
func (b Box) lookUp(ctx context.Context, names []string) (map[string]*nameAnswer, error) {
	found := map[string]*nameAnswer{}
	var q question
	for _, n := range names {
		if a, ok := b.Known.name(factKey(b, n)); ok {
			found[n] = &a
		} else {
			q.Facts = append(q.Facts, n)
		}
	}
	if q.empty() {
		return found, nil
	}
	a, err := b.ask(ctx, q)
	for n, answer := range a.facts {
		b.Known.keepName(factKey(b, n), answer)
		found[n] = &answer
	}
	for _, n := range q.Facts {
		if found[n] == nil {
			found[n] = unanswered(a, n)
		}
	}
	return found, err
}

// factKey has no imports in it: a fact is looked up with every submodule that it
// needs, so nothing else that is imported can change it.
func factKey(b Box, name string) string { return b.Env.Key + "\nfact\n" + name }

// unanswered says why a name has no answer: the import that ended it all, of
// several the outermost.
func unanswered(a answers, name string) *nameAnswer {
	for _, module := range slices.Sorted(maps.Keys(a.imports)) {
		if f := a.imports[module]; f != nil && (module == name || len(name) > len(module) && name[:len(module)+1] == module+".") {
			return &nameAnswer{Absent: module, Holder: "object", Error: f}
		}
	}
	return nil
}

// asSignature words an answer for a prompt. A name without one keeps its place, so
// that whoever asked sees that it was not found out.
func asSignature(name string, a *nameAnswer) task.Signature {
	s := task.Signature{Name: name}
	if a == nil {
		s.Why, s.Unsure = "nothing answered", true
		return s
	}
	s.Exists, s.Kind, s.Signature, s.Doc, s.Near = a.Exists, a.Kind, a.Signature, a.Doc, a.Near
	switch {
	case a.Exists:
	case a.Error != nil && a.Error.Type == crashed:
		s.Why, s.Unsure = a.Error.Message, true
	case a.Error != nil && !absent(*a):
		// What is imported is there: the failure may be the reported bug.
		how := "reading "
		if a.Importing {
			how = "importing "
		}
		s.Why, s.Unsure = how+a.Absent+" fails with "+a.Error.Type+": "+a.Error.Message, true
	case a.Error != nil:
		s.Why = a.Error.Type + ": " + a.Error.Message
	default:
		s.Why = "there is no " + a.Absent
	}
	return s
}
