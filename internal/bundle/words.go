package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/triage"
)

// A bundle is verified by its evidence, and then a person reads its README, or
// runs its script as that says. So these must be what is written from that very
// evidence: what stands before a script would run, an environment with one more
// package would be installed, and a page that claims more would be believed.

// derived is the result with everything in it that follows from the evidence. What
// a model cost, say, does not; nor do the reasons behind those that do.
func (b *Bundle) derived() *proof.Result {
	v := proof.View(&triage.Decision{}, b.Candidate, b.Outcome)
	r := *b.Result
	r.Schema, r.Headline, r.Also, r.Grade = v.Schema, v.Headline, v.Also, v.Grade
	r.Hits, r.Runs, r.Interval, r.Symptom, r.Subject = v.Hits, v.Runs, v.Interval, v.Symptom, v.Subject
	r.Versions, r.Environment, r.Isolation, r.Edits = v.Versions, v.Environment, v.Isolation, v.Edits
	more := []string{}
	if n := len(v.Reasons); r.Model != nil && len(b.Result.Reasons) > n {
		more = b.Result.Reasons[n:]
	}
	r.Reasons = slices.Concat(v.Reasons, more)
	return &r
}

// altered compares the files that a person runs, and those that he reads, with
// what would be written from the evidence now.
func (b *Bundle) altered(files map[string][]byte) (run, words []string) {
	r := b.derived()
	c := Content{
		Report: b.Report, Candidate: b.Candidate, Outcome: b.Outcome, Result: r,
		Wheel: func(p environment.Package) ([]byte, error) {
			if len(p.Hashes) == 1 && b.Wheels[p.Hashes[0]] != nil {
				return b.Wheels[p.Hashes[0]], nil
			}
			return nil, fs.ErrNotExist
		},
	}
	want := map[string][]byte{fileScript: []byte(header(c, nil) + setAside(c.Candidate.Script))}
	if c.Outcome.Lock != nil {
		want[fileLock] = []byte(c.Outcome.Lock.Text)
	}
	putControls(want, c, scriptNames(c.Outcome))
	for name, data := range want {
		if !bytes.Equal(data, files[name]) {
			run = append(run, name+": is not what the evidence ran")
		}
	}
	slices.Sort(run)
	if string(files[fileReadme]) != readme(c) {
		words = append(words, fileReadme)
	}
	if have, follows := jsonOf(b.Result), jsonOf(r); !bytes.Equal(have, follows) {
		words = append(words, fileVerdict)
	}
	return run, words
}

func jsonOf(r *proof.Result) []byte {
	data, err := json.Marshal(r)
	if err != nil { // a result that was read can be written
		return fmt.Appendf(nil, "%v", err)
	}
	return data
}
