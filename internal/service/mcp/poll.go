package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/repgen/repgen/internal/pipeline"
)

// fromDisk is said with a run that another session made.
const fromDisk = "This run was read from its folder and not judged again: whoever can write there can change it. repgen verify runs its bundle again. "

// poll serves get_run.
func (s *session) poll(ctx context.Context, req *sdk.CallToolRequest, in PollIn) (*sdk.CallToolResult, PollOut, error) {
	j := s.jobs.find(in.RunID)
	if j == nil {
		out, err := s.earlier(in)
		return nil, out, err
	}
	if in.Cancel {
		j.cancel()
	}
	if err := s.await(ctx, req, j, in.wait()); err != nil {
		return nil, PollOut{}, s.fail(err) // the run goes on: only this question was cancelled
	}
	run, result, _, err := j.view()
	out := PollOut{
		Run: run, Environment: typed[EnvironmentOut](result), Execution: typed[ExecutionOut](result),
		Code: typed[CodeOut](result), Verdict: typed[VerdictOut](result),
	}
	if err != nil {
		p := s.problem(err)
		out.Error = &p
	}
	return nil, out, nil
}

// runName is the form of a run folder's name: no separator, nothing hidden.
var runName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// earlier is a run of another session, by the name of its folder.
func (s *session) earlier(in PollIn) (PollOut, error) {
	none := refuse("give the run_id of an answer, or the name of a folder of the server's out folder", "%s is no run", line(in.RunID, maxLine))
	if !runName.MatchString(in.RunID) {
		return PollOut{}, none
	}
	dir := filepath.Join(s.opts.Out, in.RunID)
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return PollOut{}, none
	}
	// A link or a pipe in the folder is nobody's record.
	run, err := pipeline.OpenStored(dir, s.opts.Key)
	if err != nil {
		return PollOut{}, none
	}
	defer func() { _ = run.Close() }() // only read
	out := PollOut{Run: Run{RunID: in.RunID, State: StateDone, Progress: lastEvents(run)}}
	if in.Cancel {
		return PollOut{}, refuse("end the process that works on it", "%s belongs to another session", in.RunID)
	}
	r, made, err := run.Result()
	switch {
	case errors.Is(err, pipeline.ErrNotFinished):
		out.State, out.Next = StateUnfinished, "it was interrupted, or another process works on it: repgen reproduce --resume goes on with it"
		return out, nil
	case err != nil:
		return PollOut{}, s.fail(err)
	}
	out.Verdict = verdictOut(r, dir)
	asked := run.Request.Report
	out.Verdict.Report = line(asked.Source.Kind+" "+asked.Source.Name, maxLine) + ", sha256 " + textHash(asked.Text)
	out.Verdict.Notice = fromDisk + untrusted
	if !made {
		out.Verdict.Notice = notOwn + out.Verdict.Notice
	}
	return out, nil
}

// notOwn is said of a result that anybody may have written.
const notOwn = "repgen of this user did not make this result, or it was changed since: nothing says that it is true. "

// maxEvents bounds what is read of a run's events, in bytes.
const maxEvents = 4 << 20

// lastEvents are the last lines of a run's progress.
func lastEvents(run *pipeline.Stored) []string {
	f, err := run.Open(pipeline.EventsFile)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	var said []string
	scan := bufio.NewScanner(io.LimitReader(f, maxEvents))
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		var e pipeline.Event
		if json.Unmarshal(scan.Bytes(), &e) != nil || e.State != "done" {
			continue
		}
		said = append(said, line(string(e.Stage)+": "+e.Text, maxLine))
	}
	return said[max(0, len(said)-maxProgress):]
}
