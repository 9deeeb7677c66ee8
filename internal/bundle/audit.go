package bundle

import (
	"fmt"
	"slices"

	"github.com/repgen/repgen/internal/oracle"
)

// The audited executions, with their logs, are no group of the evidence: they
// are never counted. Their folders are in the order of oracle.Audit.
var auditFolders = []string{"audit/reported", "audit/control", "audit/reported-again"}

func putAudit(files map[string][]byte, put func(string, any) error, ev *evidenceFile, a *oracle.Audit) error {
	if a == nil {
		return nil
	}
	for i, ex := range a.Executions {
		ev.Audited = append(ev.Audited, auditFolders[i])
		if err := putExecution(files, put, auditFolders[i], ex); err != nil {
			return err
		}
	}
	return nil
}

// takeAudit puts the audited executions back. What follows from them is found
// anew (reread).
func (b *Bundle) takeAudit(names []string, files map[string][]byte) error {
	a := b.Outcome.Evidence.Audit
	if len(names) == 0 {
		return nil
	}
	if a == nil || len(names) > len(auditFolders) || !slices.Equal(names, auditFolders[:len(names)]) {
		return fmt.Errorf("%s: names audited executions that no audit makes", fileEvidence)
	}
	for _, name := range names {
		ex, err := executionOf(name, files)
		if err != nil {
			return err
		}
		a.Executions = append(a.Executions, ex)
	}
	return nil
}

// unaudited: a release as the control of somebody else's script needs to be told
// that the script asked it the same.
func (b *Bundle) unaudited(v oracle.Verdict) []string {
	e, ev := b.Outcome.Expectation, b.Outcome.Evidence
	switch {
	case e.ReporterScript || oracle.ByGroup(e.Oracle) || v.Grade != "A" && v.Grade != "B":
		return nil
	case ev.Audit == nil:
		return []string{fileEvidence + ": the script is not the reporter's, and what it asked of the releases was not audited"}
	case ev.Audit.Control != v.Control:
		return []string{fileEvidence + ": the audit is of another control than the verdict's"}
	}
	return nil
}
