package oracle

import (
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
)

// settled is an execution without a death that came after the script was over.
// A library may crash while the interpreter takes its objects apart: compilers
// of 2018 do so on processors and C libraries of today, whatever the script
// was. Everything that the report speaks of had happened by then, and the record
// of it is whole. Reports of a signal are judged on the execution as it was.
func settled(ex sandbox.Execution) sandbox.Execution {
	r := ex.Record
	switch {
	case ex.Outcome != sandbox.Signaled || !r.Started || !r.Ended || r.Forged || ex.OOMKills > 0:
		return ex
	case r.SystemExit != "" || len(r.Exceptions) > 0:
		return ex
	case r.Fatal == "" || strings.Contains(r.Fatal, `File "`):
		return ex // a frame of Python was still running, or nothing says that none was
	}
	ex.Outcome, ex.ExitCode, ex.Signal = sandbox.Exited, 0, ""
	ex.Record.Fatal, ex.Stderr = "", strings.Replace(ex.Stderr, r.Fatal, "", 1)
	return ex
}
