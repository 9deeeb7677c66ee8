package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/system"
	"github.com/repgen/repgen/internal/system/inert"
)

type doctorCmd struct {
	place    `embed:""`
	show     `embed:""`
	llmFlags `embed:""`
}

// check is one line of the doctor.
type check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Next   string `json:"next,omitempty"`
	// Note is what a check that passed still warns of.
	Note string `json:"note,omitempty"`
	// Refused is what repgen does not do until then, Unsafe the way around it
	// and what that costs.
	Refused string `json:"refused,omitempty"`
	Unsafe  string `json:"unsafe,omitempty"`
}

func now() time.Time { return time.Now() }

// Free space on disk. Every environment leaves least free; a torch with CUDA's
// libraries needs ample with its download (both as measured in environment).
const (
	least = 1 << 30
	ample = 8 << 30
)

// Run says what is usable on this machine.
func (c *doctorCmd) Run(ctx context.Context, s streams) error {
	if err := c.place.check(); err != nil {
		return c.failAlone(s, err)
	}
	checks := s.advised(append(c.checks(ctx, s), llmChecks(ctx, s, c.llmFlags)...))
	if c.JSON {
		if err := output.JSON(s.out, map[string][]check{"checks": checks}); err != nil {
			return err
		}
	}
	bad := 0
	for _, k := range checks {
		if !k.OK {
			bad++
		}
		if !c.JSON && (!c.Quiet || !k.OK) {
			tellCheck(s, k)
		}
	}
	if bad > 0 {
		return exit{exitFailed}
	}
	return nil
}

// advised puts the command's name into the advice of checks.
func (s streams) advised(checks []check) []check {
	for i, k := range checks {
		checks[i].Next = s.named(proof.ResultError{Next: k.Next}).Next
	}
	return checks
}

// checks looks at everything. Without a place for the cache there is nothing to
// look for interpreters with, but the isolation can still be judged.
func (c *doctorCmd) checks(ctx context.Context, s streams) []check {
	sv, err := wireServices(ctx, s, c.place, c.show, nil)
	if err != nil {
		return append(isolationChecks(ctx, &lazySandbox{unsafe: c.UnsafeNoSandbox}), diskCheck())
	}
	checks := append(isolationChecks(ctx, sv.sandbox), diskCheck())
	for _, d := range sv.envs.Diagnose(ctx) {
		checks = append(checks, fromDiagnosis(d))
	}
	return blamed(checks, sv.envs.dir)
}

// blamed gives what fails for want of the cache folder the advice that helps:
// no installation and no network would.
func blamed(checks []check, dir string) []check {
	unusable := func(k check) bool { return k.Name == cacheCheck && !k.OK }
	if !slices.ContainsFunc(checks, unusable) {
		return checks
	}
	for i, k := range checks {
		if !k.OK && strings.Contains(k.Detail, dir) {
			checks[i].Next, checks[i].Refused, checks[i].Unsafe = cacheNext, "", ""
		}
	}
	return checks
}

func tellCheck(s streams, k check) {
	mark, rest := "ok", []string{k.Note}
	switch {
	case !k.OK:
		mark, rest = "MISSING", []string{k.Next, k.Refused, k.Unsafe}
	case k.Note != "":
		mark = "note"
	}
	_, _ = fmt.Fprintf(s.out, " %-8s %-18s %s\n", mark, k.Name, inert.Line(k.Detail))
	for _, line := range rest {
		if line != "" {
			_, _ = fmt.Fprintf(s.out, "          %-18s %s\n", "", inert.Line(line))
		}
	}
}

func isolationChecks(ctx context.Context, sb sandbox.Sandbox) []check {
	layers, err := sb.Layers(ctx)
	if err != nil {
		return []check{missingIsolation(err)}
	}
	var checks []check
	for _, l := range layers {
		k := check{Name: "isolation: " + l.Name, OK: l.Active, Detail: l.How}
		if l.Weak != "" {
			k.Note = "weak: the kernel does not hold this limit, so a script may pass it for a moment: " + l.Weak
		}
		checks = append(checks, k)
	}
	return checks
}

func diskCheck() check {
	dir, err := system.CacheDir()
	if err != nil {
		return check{Name: "disk", Detail: err.Error(), Next: cacheNext}
	}
	free, err := system.FreeBytes(dir)
	if err != nil {
		return check{Name: "disk", Detail: err.Error(), Next: cacheNext}
	}
	return freeCheck(dir, free)
}

// freeCheck fails only where nothing can be built: most reports need a tenth of
// what the largest do.
func freeCheck(dir string, free uint64) check {
	k := check{Name: "disk", OK: free >= least, Detail: fmt.Sprintf("%s, %.1f GiB free", dir, float64(free)/(1<<30))}
	switch {
	case free < least:
		k.Next = "no environment can be built: free some space, or set REPGEN_CACHE_DIR to a folder on a larger disk"
	case free < ample:
		k.Note = "enough for most reports; an environment of torch with CUDA's libraries needs about 8 GiB with its download"
	}
	return k
}

func fromDiagnosis(d environment.Diagnosis) check {
	k := check{Name: d.Name, OK: d.OK, Detail: strings.TrimSpace(d.Detail)}
	if !d.OK {
		k.Next = d.Next
	}
	return k
}
