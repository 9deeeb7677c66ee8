package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/system"
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
	// Refused is what repgen does not do until then, Unsafe the way around it
	// and what that costs.
	Refused string `json:"refused,omitempty"`
	Unsafe  string `json:"unsafe,omitempty"`
}

func now() time.Time { return time.Now() }

// minFree is what a torch environment needs on disk, with its download.
const minFree = 8 << 30

// Run says what is usable on this machine.
func (c *doctorCmd) Run(ctx context.Context, s streams) error {
	if err := c.place.check(); err != nil {
		return err
	}
	checks := append(c.checks(ctx, s), llmChecks(ctx, s, c.llmFlags)...)
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
	return checks
}

func tellCheck(s streams, k check) {
	mark := "ok"
	if !k.OK {
		mark = "MISSING"
	}
	_, _ = fmt.Fprintf(s.out, " %-8s %-18s %s\n", mark, k.Name, output.Inert(k.Detail))
	if k.OK {
		return
	}
	for _, line := range []string{k.Next, k.Refused, k.Unsafe} {
		if line != "" {
			_, _ = fmt.Fprintf(s.out, "          %-18s %s\n", "", output.Inert(line))
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
		checks = append(checks, check{Name: "isolation: " + l.Name, OK: l.Active, Detail: l.How})
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
	k := check{Name: "disk", OK: free >= minFree, Detail: fmt.Sprintf("%s, %.1f GiB free", dir, float64(free)/(1<<30))}
	if !k.OK {
		k.Next = "a torch environment needs about 8 GiB with its download: free some space, or set REPGEN_CACHE_DIR"
	}
	return k
}

func fromDiagnosis(d environment.Diagnosis) check {
	return check{Name: d.Name, OK: d.OK, Detail: strings.TrimSpace(d.Detail), Next: d.Next}
}
