package triage

import (
	"slices"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/symptom"
)

// withoutStandIns parts the gaps that the candidate room can fill with made-up
// data from those it cannot.
func withoutStandIns(f *pysyntax.File, gaps []gap) (left, made []gap) {
	outside := func(g gap) bool { return g.kind == gapFile || g.kind == gapDownload }
	if !slices.ContainsFunc(gaps, outside) {
		return gaps, nil
	}
	lines := map[int]bool{}
	for _, s := range pysyntax.StandIns(f.Source) {
		lines[s.Line] = true
	}
	for _, g := range gaps {
		if outside(g) && lines[g.line] {
			made = append(made, g)
			continue
		}
		left = append(left, g)
	}
	return left, made
}

// needData takes back the stand-ins where the claim is about values: what is
// printed for other data says nothing of the report's. A crash, a shape or a
// warning may well come with any data of that form.
func (s *script) needData(e *oracle.Expectation) {
	if len(s.made) == 0 || e != nil && comesWithAnyData(*e) {
		return
	}
	s.gaps, s.made = append(s.gaps, s.made...), nil
}

func comesWithAnyData(e oracle.Expectation) bool {
	switch e.Symptom.Kind {
	case symptom.Exception, symptom.MissingException, symptom.ImportError, symptom.Signal,
		symptom.Warning, symptom.Shape, symptom.DType, symptom.Hang, symptom.Slow, symptom.Memory:
		return true
	}
	return false
}
