package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
)

// refusedWithout is what stays undone until the isolation is there, and what
// works all the same.
const refusedWithout = "until then reproduce, judge, verify, bench and env run nothing and end with exit code 1; triage, show and env explain work"

// unsafeWay names the way around and its price.
const unsafeWay = "--unsafe-no-sandbox runs WITHOUT isolation: a stranger's script then has your rights, your files, your keys and your network, and the verdict records it"

// missingIsolation is the doctor's advice for an isolation that cannot be set
// up.
func missingIsolation(err error) check {
	k := check{Name: "isolation", Detail: err.Error(), Next: installBwrap(), Refused: refusedWithout, Unsafe: unsafeWay}
	var layer *sandbox.LayerError
	if errors.As(err, &layer) {
		k.Name, k.Detail, k.Next, k.Unsafe = "isolation: "+layer.Layer, layer.Why, isolationFix(layer), wayAround(layer)
	}
	return k
}

// nothingRan is the head of the answer of every command that then runs nothing.
func nothingRan(l *sandbox.LayerError) string {
	if l.Layer == "disk" {
		return "nothing was run: the disk is full"
	}
	return "nothing was run: the isolation cannot be set up: " + l.Layer
}

// wayAround is unsafeWay where that is one: without isolation too a script needs
// room on a disk.
func wayAround(l *sandbox.LayerError) string {
	if l.Layer == "disk" {
		return ""
	}
	return unsafeWay
}

// isolationFix says what to do about a layer. A program that is absent is
// installed by a command of this machine's distribution.
func isolationFix(l *sandbox.LayerError) string {
	if strings.Contains(l.Why, "not installed") {
		return installBwrap()
	}
	return l.Fix
}

// osRelease says which distribution this is (os-release(5)).
const osRelease = "/etc/os-release"

func installBwrap() string {
	text, err := os.ReadFile(osRelease)
	if err != nil {
		text = nil
	}
	command := installCommand(string(text))
	if os.Geteuid() == 0 {
		return "run: " + command
	}
	return "an administrator has to run: " + command
}

// installers are the commands of the families of distributions, by the words of
// ID and ID_LIKE.
var installers = []struct{ family, command string }{
	{"debian", "apt-get install bubblewrap"}, {"ubuntu", "apt-get install bubblewrap"},
	{"fedora", "dnf install bubblewrap"}, {"rhel", "dnf install bubblewrap"}, {"centos", "dnf install bubblewrap"},
	{"arch", "pacman -S bubblewrap"}, {"suse", "zypper install bubblewrap"}, {"opensuse", "zypper install bubblewrap"},
	{"alpine", "apk add bubblewrap"},
}

// installCommand reads ID and ID_LIKE; a distribution that is not in the table
// has the package under the same name.
func installCommand(release string) string {
	var words []string
	for line := range strings.Lines(release) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if name == "ID" || name == "ID_LIKE" {
			words = append(words, strings.Fields(strings.Trim(value, `"'`))...)
		}
	}
	for _, w := range words {
		for _, i := range installers {
			if w == i.family || strings.HasPrefix(w, i.family+"-") {
				return i.command
			}
		}
	}
	return fmt.Sprintf("the package manager of this system for the package %q", "bubblewrap")
}
