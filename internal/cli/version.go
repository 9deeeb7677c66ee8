package cli

import (
	"fmt"
	"runtime/debug"

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
