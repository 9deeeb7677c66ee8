package agent

import (
	"context"
	"slices"
	"testing"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

func TestNamed(t *testing.T) {
	tests := []struct {
		name   string
		blocks []report.Block
		want   []string
	}{
		{"imported", []report.Block{{Kind: report.BlockPython, Text: "import numpy as n\nn.clip(1)\nn.linalg.inv(n.eye(2))\nprint(n)"}}, []string{"numpy.clip", "numpy.linalg.inv", "numpy.eye"}},
		{"left out", []report.Block{{Kind: report.BlockPython, Text: "np.clip(x)\nnp.clip(y)"}}, []string{"numpy.clip"}},
		{"imported in another block", []report.Block{
			{Kind: report.BlockPython, Text: "from numpy import clip as c"}, {Kind: report.BlockOutput, Text: "np.dot(1)"},
			{Kind: report.BlockREPL, Cells: []report.Cell{{Code: "c(1)"}}},
		}, []string{"numpy.clip"}},
		{"another library", []report.Block{{Kind: report.BlockPython, Text: "import scipy\nscipy.fft.fft(1)"}}, nil},
		{"no code", nil, nil},
		{"no Python", []report.Block{{Kind: report.BlockPython, Text: "((("}}, nil},
	}
	for _, tt := range tests {
		r := &run{in: Input{Report: &report.Report{Blocks: tt.blocks}}, modules: []string{"numpy"}}
		got := r.named()
		slices.Sort(got)
		slices.Sort(tt.want)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestOwnText(t *testing.T) {
	blocks := []report.Block{{Kind: report.BlockPython, Text: "a = 1\n"}, {Kind: report.BlockShell, Text: "ls"}, {Kind: report.BlockPython, Text: "b = a\n"}}
	tests := []struct {
		name string
		in   Input
		want string
	}{
		{"as written", Input{OwnScript: &candidate.Candidate{Script: "edited", Original: "written"}}, "written"},
		{"a given one", Input{OwnScript: &candidate.Candidate{Script: "given"}}, "given"},
		{"all blocks", Input{}, "a = 1\n\nb = a"},
		{"a block that is not there", Input{Decision: &triage.Decision{Blocks: []int{9}}}, "a = 1\n\nb = a"},
	}
	for _, tt := range tests {
		tt.in.Report = &report.Report{Blocks: blocks}
		if tt.in.Decision == nil {
			tt.in.Decision = &triage.Decision{}
		}
		r := &run{in: tt.in}
		if got := r.ownText(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestEnvironmentsOpenOnce: scripts that need the same share one.
func TestEnvironmentsOpenOnce(t *testing.T) {
	s := set(t, scripts(numbered(nothing, 1), "import scipy\n"+nothing, numbered(nothing, 2), proved))
	s.in.Budget.Attempts = 5
	wantEnding(t, s.run(t), Proved)
	if s.workshop.opened != 2 {
		t.Errorf("opened %d environments, want that of numpy and that with scipy", s.workshop.opened)
	}
	r := &run{base: &base{spec: environment.Spec{Imports: []string{"numpy"}}}, modules: []string{"keras"}}
	if got := r.extra(&candidate.Candidate{Imports: []string{"scipy", "keras", "numpy", "PIL"}}); !slices.Equal(got, []string{"PIL", "scipy"}) {
		t.Errorf("extra = %v", got)
	}
	if _, err := s.Agent.Run(context.Background(), Input{}); err == nil {
		t.Error("an empty input is no error")
	}
}
