package environment

import (
	"context"
	"sync"
)

// leases are what keeps entries of the stores from being trimmed.
type leases struct {
	mu   sync.Mutex
	list []func()
}

func (l *leases) add(release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, release)
}

func (l *leases) giveBack() {
	l.mu.Lock()
	list := l.list
	l.list = nil
	l.mu.Unlock()
	for _, release := range list {
		release()
	}
}

// keep holds an entry that the environment is made of until Release.
func (e *Environment) keep(release func()) {
	if e.leases == nil {
		e.leases = &leases{}
	}
	e.leases.add(release)
}

// Release gives back what Build and Certify took from the store: the environment
// and the bytecode that its commands read. Who called Build calls it once no
// command of the environment runs or will run; from then on either may be
// trimmed. It may be called any number of times, from several goroutines.
func (e *Environment) Release() {
	if e.leases != nil {
		e.leases.giveBack()
	}
}

// wheelEntry builds or finds an entry of the store of wheels. It is held as long
// as the Manager lives: a solution names its folder to uv again and again, and
// wheels are small.
func (m *Manager) wheelEntry(ctx context.Context, key string, build func(ctx context.Context, tmp string) error) (string, error) {
	store, err := m.store(wheelStore)
	if err != nil {
		return "", err
	}
	dir, _, release, err := store.BuildHeld(ctx, key, build)
	if err != nil {
		return "", err
	}
	m.holdWheel(key, release)
	return dir, nil
}

// foundWheel is the entry of the store of wheels that is there already.
func (m *Manager) foundWheel(key string) (dir string, ok bool, err error) {
	store, err := m.store(wheelStore)
	if err != nil {
		return "", false, err
	}
	release, ok := store.Hold(key)
	if ok {
		m.holdWheel(key, release)
	}
	return store.Path(key), ok, nil
}

// holdWheel keeps one lease of each entry.
func (m *Manager) holdWheel(key string, release func()) {
	m.tools.wheelsMu.Lock()
	defer m.tools.wheelsMu.Unlock()
	if m.tools.wheels == nil {
		m.tools.wheels = map[string]func(){}
	}
	if old := m.tools.wheels[key]; old != nil {
		old()
	}
	m.tools.wheels[key] = release
}
