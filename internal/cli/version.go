package cli

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/repgen/repgen/internal/output"
)

type versionCmd struct {
	JSON bool `help:"As JSON." name:"json"`
}

// Run prints the version.
func (c *versionCmd) Run(s streams) error {
	v := versionText()
	if c.JSON {
		return output.JSON(s.out, map[string]string{"version": v})
	}
	_, err := fmt.Fprintln(s.out, "repgen", v)
	return err
}

// version is set by the release build (-ldflags -X).
var version = ""

// versionText is the release, else the commit that Go recorded.
func versionText() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	rev, dirty := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			rev = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				dirty = "+changes"
			}
		}
	}
	if len(rev) > 12 {
		rev = rev[:12]
	}
	if rev == "" {
		return "development"
	}
	return "development-" + rev + dirty
}

// buildText tells this program from every other one. Two builds of one commit
// with changes, or without any, have one versionText.
func buildText() string { return versionText() + " " + buildID() }

// buildID names the program's content: the linker's own hash of it where it left
// one, else the hash of the whole (0.14 s for 40 MB, measured). When neither can
// be read it is a fresh text, so that nothing is taken for what this program has
// made.
var buildID = sync.OnceValue(func() string {
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		return time.Now().String()
	}
	defer func() { _ = f.Close() }() // only read
	h := sha256.New()
	if id := linked(f); len(id) > 0 {
		_, _ = h.Write(id)
	} else if _, err := io.Copy(h, io.NewSectionReader(f, 0, 1<<40)); err != nil {
		return time.Now().String()
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
})

// linked is the note with the build ID of Go (go tool buildid), nil without one.
func linked(f io.ReaderAt) []byte {
	program, err := elf.NewFile(f)
	if err != nil {
		return nil
	}
	note := program.Section(".note.go.buildid")
	if note == nil {
		return nil
	}
	data, err := note.Data()
	if err != nil || len(data) <= noteHead {
		return nil
	}
	return data
}

// noteHead is the length of a note without its text: three sizes and the name
// "Go" (elf(5)).
const noteHead = 16
