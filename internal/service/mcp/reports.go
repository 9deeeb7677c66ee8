package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

// held is a report of this session.
type held struct {
	id     string
	report *report.Report
	origin string
	// independent of the agent: read from the tracker, or named by the user.
	independent bool
	// decided is what triage makes of it, without and with a script.
	decided func() [2]*triage.Decision
}

// hold keeps a report under the hash of its text.
func (s *session) hold(r *report.Report, origin string, independent bool) held {
	sum := sha256.Sum256([]byte(origin + "\x00" + r.Text))
	h := held{id: "report-" + hex.EncodeToString(sum[:6]), report: r, origin: origin, independent: independent}
	subject := s.opts.Subject
	h.decided = sync.OnceValue(func() [2]*triage.Decision {
		own := triage.Options{Subject: subject}
		return [2]*triage.Decision{triage.Decide(r, own), triage.Decide(r, triage.Options{Subject: subject, Script: true})}
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.reports, func(o held) bool { return o.id == h.id }); i >= 0 {
		h = s.reports[i] // read before: what was decided stands
		s.reports = slices.Delete(s.reports, i, i+1)
	}
	s.reports = append(s.reports, h)
	if len(s.reports) > maxReports {
		s.reports = slices.Delete(s.reports, 0, 1)
	}
	return h
}

// resolve finds the report that a call is about.
func (s *session) resolve(ctx context.Context, ref ReportRef) (held, error) {
	set := oneOf(map[string]string{"report_id": ref.ReportID, "text": ref.Text, "path": ref.Path, "issue": ref.Issue}, "report_id", "text", "path", "issue")
	switch {
	case len(set) > 1:
		return held{}, refuse("give one of them", "the report is named more than once: %s", strings.Join(set, ", "))
	case s.opts.Report != nil:
		return s.pinned(ref)
	case len(set) == 0:
		return held{}, refuse("give report_id, text, path or issue", "which report?")
	}
	switch set[0] {
	case "report_id":
		return s.byID(ref.ReportID)
	case "issue":
		return s.fetch(ctx, ref.Issue)
	}
	return s.parse(ctx, ref, set[0] == "path")
}

// parse reads a text of the client's, or a file below the root.
func (s *session) parse(ctx context.Context, ref ReportRef, file bool) (h held, err error) {
	err = s.oneByOne(ctx, func() error {
		if file {
			r, err := s.readBelow(ref.Path)
			if err == nil {
				h = s.hold(r, "file "+line(ref.Path, maxLine), false)
			}
			return err
		}
		r, err := report.Read(strings.NewReader(ref.Text), report.Source{Kind: "text", Name: "given by the client"})
		if err == nil {
			h = s.hold(r, "text given by the client", false)
		}
		return err
	})
	return h, err
}

func (s *session) fetch(ctx context.Context, issue string) (held, error) {
	if s.opts.Tracker == nil {
		return held{}, refuse("save the issue's text to a file below the root", "issues cannot be read here")
	}
	r, err := s.opts.Tracker.Fetch(ctx, issue)
	if err != nil {
		return held{}, err
	}
	return s.hold(r, "issue "+line(r.Source.Name, maxLine), true), nil
}

// pinned is the one report of a server that was started for it.
func (s *session) pinned(ref ReportRef) (held, error) {
	h := s.hold(s.opts.Report, "named by the user", true)
	if ref.Text+ref.Path+ref.Issue != "" || ref.ReportID != "" && ref.ReportID != h.id {
		return held{}, refuse("leave the report out: the one of the server is taken", "this server was started for one report")
	}
	return h, nil
}

func (s *session) byID(id string) (held, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.reports {
		if h.id == id {
			return h, nil
		}
	}
	return held{}, refuse("call read_report again", "%s is no report of this session", line(id, maxLine))
}

// Limits of the lists of read_report (guesses).
const (
	maxListed = 20
	maxBlocks = 40
)

// readReport serves read_report.
func (s *session) readReport(ctx context.Context, _ *sdk.CallToolRequest, in ReadIn) (*sdk.CallToolResult, ReadOut, error) {
	h, err := s.resolve(ctx, in.ReportRef)
	if err != nil {
		return nil, ReadOut{}, s.fail(err)
	}
	if in.Offset < 0 || in.Offset > len(h.report.Text) {
		return nil, ReadOut{}, refuse("begin at 0", "offset %d: the text has %d bytes", in.Offset, len(h.report.Text))
	}
	out := ReadOut{ReportID: h.id, Origin: h.origin, Notice: untrusted}
	out.describe(h.report, in.Offset)
	err = s.oneByOne(ctx, func() error { out.decide(h.decided()); return nil })
	if err != nil {
		return nil, ReadOut{}, s.fail(err)
	}
	return nil, out, nil
}

// oneByOne reads: a long hostile report takes seconds, and a client may send
// many at once.
func (s *session) oneByOne(ctx context.Context, read func() error) error {
	select {
	case s.reading <- struct{}{}:
		defer func() { <-s.reading }()
		return read()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// describe says what the reporter wrote.
func (out *ReadOut) describe(r *report.Report, offset int) {
	out.Title = line(r.Title, maxLine)
	if !r.Created.IsZero() {
		out.Created = r.Created.UTC().Format(time.DateOnly)
	}
	var size int
	out.Text, size = window(r.Text[offset:])
	if offset+size < len(r.Text) {
		out.NextOffset = offset + size
	}
	for i, b := range r.Blocks {
		if i == maxBlocks {
			out.Notes = append(out.Notes, fmt.Sprintf("%d more blocks", len(r.Blocks)-i))
			break
		}
		out.Blocks = append(out.Blocks, BlockOut{Kind: string(b.Kind), Role: string(b.Role), Start: b.Span.Start, End: b.Span.End})
	}
	var versions, failures []string
	for _, v := range r.Versions {
		versions = append(versions, v.Name+" "+v.Spec+" ("+string(v.Role)+")")
	}
	for _, t := range r.Tracebacks {
		failures = append(failures, strings.TrimSpace(string(t.Symptom.Kind)+" "+t.Symptom.Exception+" "+t.Symptom.Message))
	}
	out.Versions, out.Failures = lines(versions, maxListed, maxLine), lines(failures, maxListed, maxWords)
	out.Notes = append(out.Notes, lines(r.Notes, maxListed, maxLine)...)
}

// window is the inert beginning of a text, with the size of what it stands for:
// nothing of it is left out, so that the next window goes on where it ends.
func window(text string) (kept string, size int) {
	size = len(text)
	if size > maxWindow {
		size = cutAt(text, maxWindow)
	}
	for {
		kept, left := head(strings.ToValidUTF8(text[:size], ""), maxWindow)
		if left == 0 || size <= 1 {
			return kept, size
		}
		size = max(1, cutAt(text, size*3/4)) // quotes and the like take more room than they count
	}
}

// cutAt is where at most n bytes end with a line, or with a character.
func cutAt(text string, n int) int {
	if i := strings.LastIndexByte(text[:n], '\n'); i > n/2 {
		return i + 1
	}
	for n > 0 && text[n]&0xc0 == 0x80 {
		n--
	}
	return n
}

// decide says what repgen makes of it. The oracle's own data stays here: a
// script is to show the symptom, not to fit a rule.
func (out *ReadOut) decide(decided [2]*triage.Decision) {
	own, d := decided[0], decided[1]
	out.Route, out.Complete = string(d.Route), own.Route == triage.Attempt
	var reasons, steering []string
	for _, reason := range d.Reasons {
		reasons = append(reasons, reason.Text)
	}
	for _, st := range d.Steering {
		steering = append(steering, st.Text)
	}
	out.Reasons, out.Steering = lines(reasons, maxListed, maxLine), lines(steering, maxListed, maxLine)
	out.Missing, out.Subjects = lines(d.Missing, maxListed, maxLine), lines(d.Subjects, maxListed, maxLine)
	if e := d.Expectation; e != nil {
		out.Expected = symptomOut(&e.Symptom)
	}
}
