package validate

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Known keeps what environments answered, for as long as it lives: an
// environment never changes. It is safe for concurrent use, and nil keeps nothing.
type Known struct {
	mu    sync.Mutex
	names map[string]nameAnswer
	calls map[string]*callAnswer
}

// NewKnown returns an empty one.
func NewKnown() *Known {
	return &Known{names: map[string]nameAnswer{}, calls: map[string]*callAnswer{}}
}

// maxKnown bounds each map. A run asks for some hundreds; what comes after is
// asked again each time.
const maxKnown = 20000

// name, call, keepName and keepCall are safe on a nil Known, so that no caller has
// to ask whether answers are kept.
func (k *Known) name(key string) (nameAnswer, bool) {
	if k == nil {
		return nameAnswer{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	a, ok := k.names[key]
	return a, ok
}

func (k *Known) call(key string) (*callAnswer, bool) {
	if k == nil {
		return nil, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	a, ok := k.calls[key]
	return a, ok
}

func (k *Known) keepName(key string, a nameAnswer) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.names) < maxKnown {
		k.names[key] = a
	}
}

func (k *Known) keepCall(key string, a *callAnswer) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.calls) < maxKnown {
		k.calls[key] = a
	}
}

// scopes are what answers to a script's names depend on, by their first part:
// the environment, and which of that package's modules the script imports, since
// an import makes submodules visible. That an import of another package may do so
// as well only lets a name pass.
func scopes(b Box, imports []importOf) func(name string) string {
	modules := map[string][]string{}
	for _, i := range imports {
		top, _, _ := strings.Cut(i.Module, ".")
		modules[top] = append(modules[top], i.Module)
	}
	for _, list := range modules {
		slices.Sort(list)
	}
	return func(name string) string {
		top, _, _ := strings.Cut(name, ".")
		return b.Env.Key + "\n" + strings.Join(slices.Compact(slices.Clone(modules[top])), ",") + "\n"
	}
}

// key tells calls apart as far as they can fit or not.
func (c callShape) key() string { return fmt.Sprintf("%s/%d/%q", c.Func, c.Args, c.Keywords) }
