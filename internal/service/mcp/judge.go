package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/symptom"
)

// judged is said with every verdict.
const judged = "repgen made this verdict from its own executions. " + untrusted

// ownWords is said where the report may be the agent's own.
const ownWords = "The report's text came from the client, or from a file that it may have written, and was not checked: the verdict says that the script shows what this text describes, not that somebody reported it."

// scriptName says in the run folder whose script was judged.
const scriptName = "the script of an agent (mcp)"

// judge serves judge_script. Its input has a report, a script and the trigger in
// words; everything else is the user's. The script counts as a language model's:
// never the reporter's, even where it is the report's own, since the report may
// be the agent's too.
func (s *session) judge(ctx context.Context, req *sdk.CallToolRequest, in JudgeIn) (*sdk.CallToolResult, JudgeOut, error) {
	if err := checkScript(in.Script); err != nil {
		return nil, JudgeOut{}, err
	}
	h, err := s.resolve(ctx, in.ReportRef)
	if err != nil {
		return nil, JudgeOut{}, s.fail(err)
	}
	q := s.opts.Request
	q.Report, q.Script, q.ScriptName = h.report, in.Script, scriptName
	q.Edited = &pipeline.Edited{Trigger: line(in.Trigger, maxLine), NeverOwn: true}
	dir, err := s.reserve(&q)
	if err != nil {
		return nil, JudgeOut{}, s.fail(err)
	}
	// What was cancelled before it began leaves no folder: only an empty one goes.
	done := func() { _ = os.Remove(dir) }
	run, result, err := s.long(ctx, req, task{Waiting: in.Waiting, tool: toolJudge, id: filepath.Base(dir), done: done, do: func(ctx context.Context, tell Tell) (any, error) {
		r, err := s.opts.Judge.Judge(ctx, &q, dir, tell)
		if err != nil {
			return nil, err
		}
		out := verdictOut(r, dir)
		out.Report = h.origin + ", sha256 " + textHash(h.report.Text)
		out.Notice = judged
		if !h.independent {
			out.Notice = ownWords + " " + judged
		}
		return out, nil
	}})
	if err != nil {
		return nil, JudgeOut{}, err
	}
	return nil, JudgeOut{Run: run, Verdict: typed[VerdictOut](result)}, nil
}

func textHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// reserve makes a fresh run folder, so that two runs never share one.
func (s *session) reserve(q *pipeline.Request) (string, error) {
	if err := os.MkdirAll(s.opts.Out, 0o755); err != nil {
		return "", fmt.Errorf("make the folder of the runs: %w", err)
	}
	for {
		dir := pipeline.DefaultDir(s.opts.Out, q)
		err := os.Mkdir(dir, 0o755)
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("make the run folder: %w", err)
		}
	}
}

// symptomOut is a symptom without what only judging needs.
func symptomOut(s *symptom.Symptom) *SymptomOut {
	if s == nil || s.Kind == "" {
		return nil
	}
	name := s.Exception
	if name == "" {
		name = s.Signal
	}
	message := s.Message
	if message == "" {
		message = s.FatalLine
	}
	return &SymptomOut{Kind: string(s.Kind), Exception: line(name, maxLine), Message: line(message, maxWords)}
}

// verdictOut is a result as an agent is told it.
func verdictOut(r *proof.Result, dir string) *VerdictOut {
	out := &VerdictOut{
		Headline: string(r.Headline), Grade: string(r.Grade), Hits: r.Hits, Runs: r.Runs, Oracle: string(r.Symptom.Oracle),
		Expected: symptomOut(r.Symptom.Expected), Observed: symptomOut(r.Symptom.Observed),
		Subject: line(r.Subject.Name+" "+r.Subject.Version, maxLine),
		Reasons: lines(r.Reasons, maxListed, maxWords), Missing: lines(r.Missing, maxListed, maxLine), Folder: dir,
	}
	if len(r.Steering) > 0 {
		out.Steering = lines(r.Steering, maxListed/2, maxLine)
	}
	for _, h := range r.Also {
		out.Also = append(out.Also, string(h))
	}
	if r.Runs > 0 {
		out.Interval = r.Interval[:]
	}
	for i, v := range r.Versions {
		if i == maxListed {
			break
		}
		out.Versions = append(out.Versions, VersionOut{
			Package: line(v.Package, maxLine), Version: line(v.Version, maxLine), Side: line(v.Side, maxLine), Symptom: line(v.Symptom, maxLine),
			Hits: v.Hits, Runs: v.Runs, Change: line(v.Change, maxLine), Unavailable: line(v.Unavailable, maxLine),
		})
	}
	var edits []string
	for _, e := range r.Edits {
		edits = append(edits, e.Kind+": "+e.Why)
	}
	out.Edits = lines(edits, maxListed, maxLine)
	if e := r.Environment; e != nil {
		out.Python, out.AsOf = e.Python, e.AsOf
	}
	if r.Bundle != nil {
		out.Bundle = filepath.Join(dir, "bundle")
	}
	if r.Error != nil {
		p := clean(Problem{What: r.Error.What, Why: r.Error.Why, Next: r.Error.Next})
		out.Error = &p
	}
	return out
}
