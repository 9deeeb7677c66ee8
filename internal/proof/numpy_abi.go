package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// faultNumpyABI is what tryReported gives in place of a missing module.
const faultNumpyABI = "numpy 2"

// numpyABI are the words with which extension modules built for NumPy 1 fail
// beside NumPy 2. Releases from before June 2024 mostly declare no upper bound, so
// that a later day solves to such a pair. Seen with pandas 2.0, matplotlib 3.7,
// scikit-learn 1.3; the words are NumPy's and Cython's own.
var numpyABI = lazyre.New(`numpy\.dtype size changed, may indicate binary incompatibility|compiled using NumPy 1\.x cannot be run in|numpy\.core\.multiarray failed to import|_ARRAY_API not found`)

// oldNumpyNeeded says that an execution failed for a NumPy that is too new for
// what is built against it, and that nobody asked for that NumPy.
func (p *proof) oldNumpyNeeded(lock *environment.Lock, ex sandbox.Execution) bool {
	if !strings.HasPrefix(lock.Version("numpy"), "2.") || p.judgeAny(ex).Finding == oracle.Hit {
		return false
	}
	for _, v := range p.in.Report.Versions {
		if v.Dist == "numpy" && v.Role != report.RoleGood && v.Role != report.RoleMention {
			return false
		}
	}
	if slices.ContainsFunc(p.spec.Requirements, func(r environment.Requirement) bool { return r.Name == "numpy" && r.Spec != "" }) {
		return false
	}
	if ex.Outcome == sandbox.Exited && ex.ExitCode == 0 {
		return false
	}
	said := ex.Stderr
	for _, e := range ex.Record.Exceptions {
		said += "\n" + e.Message
	}
	return numpyABI.MatchString(said)
}

// solveOldNumpy solves again with NumPy 1.
func (p *proof) solveOldNumpy(ctx context.Context) (*environment.Lock, *environment.Unavailable, error) {
	p.note("a package of the environment is built for NumPy 1 and does not say so: numpy held below 2")
	p.progress("environment", "a package is built for NumPy 1: solving with numpy<2")
	p.spec.Constraints = append(slices.Clone(p.spec.Constraints), environment.Requirement{
		Name: "numpy", Spec: "<2", Word: environment.WordUndeclared, Why: "an extension module is built for NumPy 1",
	})
	lock, un, err := p.Solver.Solve(ctx, p.spec)
	if err != nil {
		return nil, nil, fmt.Errorf("solve with numpy<2: %w", err)
	}
	return lock, un, nil
}
