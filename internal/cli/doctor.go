package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/system"
)

type doctorCmd struct {
	place `embed:""`
	show  `embed:""`
}

// check is one line of the doctor.
type check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Next   string `json:"next,omitempty"`
}

func now() time.Time { return time.Now() }

// minFree is what a torch environment needs on disk, with its download.
const minFree = 8 << 30

// Run says what is usable on this machine.
func (c *doctorCmd) Run(ctx context.Context, s streams) error {
	if err := c.place.check(); err != nil {
		return err
	}
	sv, err := wireServices(ctx, s, c.place, c.show, nil)
	if err != nil {
		return err
	}
	checks := isolationChecks(ctx, sv)
	checks = append(checks, diskCheck())
	for _, d := range sv.envs.Diagnose(ctx) {
		checks = append(checks, fromDiagnosis(d))
	}
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

func tellCheck(s streams, k check) {
	mark := "ok"
	if !k.OK {
		mark = "MISSING"
	}
	_, _ = fmt.Fprintf(s.out, " %-8s %-18s %s\n", mark, k.Name, output.Inert(k.Detail))
	if !k.OK && k.Next != "" {
		_, _ = fmt.Fprintf(s.out, "          %-18s %s\n", "", output.Inert(k.Next))
	}
}

func isolationChecks(ctx context.Context, sv *services) []check {
	layers, err := sv.sandbox.Layers(ctx)
	if err != nil {
		return []check{{Name: "isolation", Detail: err.Error(), Next: "install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap) and allow unprivileged user namespaces"}}
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
