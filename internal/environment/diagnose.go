package environment

import (
	"context"
	"fmt"
	"strings"
)

// Diagnosis is one thing that environments need, and whether it is here.
type Diagnosis struct {
	Name   string
	OK     bool
	Detail string
	Next   string // what to do when it is not
}

// Diagnose looks for interpreters, uv and the package index.
func (m *Manager) Diagnose(ctx context.Context) []Diagnosis {
	return []Diagnosis{m.diagnosePythons(ctx), m.diagnoseUV(ctx), m.diagnoseIndex(ctx)}
}

func (m *Manager) diagnosePythons(ctx context.Context) Diagnosis {
	d := Diagnosis{Name: "interpreters", Next: "install a Python, for one: apt-get install python3 python3-venv"}
	list, err := m.interpreters(ctx)
	if err != nil {
		d.Detail = err.Error()
		return d
	}
	var names []string
	for _, p := range list {
		names = append(names, p.Version+" ("+p.Source+")")
	}
	d.OK, d.Detail = len(names) > 0, strings.Join(names, ", ")
	if !d.OK {
		d.Detail = "none found"
	}
	return d
}

func (m *Manager) diagnoseUV(ctx context.Context) Diagnosis {
	d := Diagnosis{Name: "uv", Next: "install uv, or a Python with venv and pip so that repgen can fetch it"}
	tool, err := m.resolver(ctx)
	if err != nil {
		d.Detail = err.Error()
		return d
	}
	d.OK, d.Detail = true, tool.Version+" at "+tool.Path
	return d
}

// diagnoseIndex asks for a project that every index has.
func (m *Manager) diagnoseIndex(ctx context.Context) Diagnosis {
	d := Diagnosis{Name: "package index", Next: "check the network, or name another one: --index URL, UV_DEFAULT_INDEX"}
	client, err := m.index(ctx)
	if err != nil {
		d.Detail = err.Error()
		return d
	}
	p, err := client.Project(ctx, "numpy")
	if err != nil {
		d.Detail = err.Error()
		return d
	}
	d.OK, d.Detail = true, fmt.Sprintf("reachable, lists %d files of numpy", len(p.Files))
	return d
}
