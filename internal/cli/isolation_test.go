package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
)

func TestInstallCommand(t *testing.T) {
	for release, want := range map[string]string{
		"ID=debian\nVERSION_ID=\"12\"\n":                    "apt-get install bubblewrap",
		"NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=ubuntu": "apt-get install bubblewrap",
		"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n":    "dnf install bubblewrap",
		"ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"":   "zypper install bubblewrap",
		"ID=arch\n": "pacman -S bubblewrap",
		"ID=alpine": "apk add bubblewrap",
		"ID=plan9":  `the package manager of this system for the package "bubblewrap"`,
		"":          `the package manager of this system for the package "bubblewrap"`,
	} {
		if got := installCommand(release); got != want {
			t.Errorf("%q: %q, want %q", release, got, want)
		}
	}
}

// Whatever layer is missing: what is, what to run, what is refused meanwhile,
// and what the way around costs.
func TestMissingIsolation(t *testing.T) {
	tests := []struct {
		err        error
		name, next string
	}{
		{&sandbox.LayerError{Layer: "user-namespace", Why: "bubblewrap (bwrap) is not installed", Fix: "x"}, "isolation: user-namespace", "bubblewrap"},
		{fmt.Errorf("open: %w", &sandbox.LayerError{Layer: "seccomp", Why: "no filter", Fix: "use another kernel"}), "isolation: seccomp", "use another kernel"},
		{errors.New("boom"), "isolation", "bubblewrap"},
	}
	for _, tt := range tests {
		k := missingIsolation(tt.err)
		if k.OK || k.Name != tt.name || !strings.Contains(k.Next, tt.next) || k.Detail == "" {
			t.Errorf("%v: %+v", tt.err, k)
		}
		var out strings.Builder
		tellCheck(streams{out: &out}, k)
		for _, want := range []string{"MISSING", tt.next, "exit code 1", "--unsafe-no-sandbox", "your files"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%v: the advice lacks %q:\n%s", tt.err, want, out.String())
			}
		}
	}
	full := missingIsolation(&sandbox.LayerError{Layer: "disk", Why: "the disk of /tmp is full", Fix: "free some space"})
	if full.Name != "isolation: disk" || full.Next != "free some space" || full.Refused == "" || full.Unsafe != "" {
		t.Errorf("a full disk: %+v", full)
	}
	who := "an administrator has to run: "
	if os.Geteuid() == 0 {
		who = "run: "
	}
	if got := installBwrap(); !strings.HasPrefix(got, who) {
		t.Errorf("%q", got)
	}
}

// TestRefusedWithoutIsolation: the answer of reproduce is the doctor's.
func TestRefusedWithoutIsolation(t *testing.T) {
	err := fmt.Errorf("prepare a run: %w", &sandbox.LayerError{Layer: "user-namespace", Why: "bubblewrap (bwrap) is not installed", Fix: "x"})
	e, code := explain(err)
	if code != exitFailed || !strings.Contains(e.What, "nothing was run") || !strings.Contains(e.Next, "bubblewrap; repgen doctor") || !strings.Contains(e.Next, "WITHOUT isolation") {
		t.Errorf("%d %+v", code, e)
	}
	e, code = explain(fmt.Errorf("run: %w", &sandbox.LayerError{Layer: "disk", Why: "full", Fix: "free some space"}))
	if code != exitFailed || e.What != "nothing was run: the disk is full" || strings.Contains(e.Next, "unsafe") || !strings.HasPrefix(e.Next, "free some space; repgen doctor") {
		t.Errorf("%d %+v", code, e)
	}
}
