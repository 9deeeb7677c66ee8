package cli

import (
	"fmt"
	"path/filepath"

	"github.com/repgen/repgen/internal/environment"
)

// source are the flags that take the subject from a project instead of from
// the index.
type source struct {
	Project       string `help:"Build the subject from this git checkout, or plain folder, instead of taking it from the index. It is read and built in the sandbox only." placeholder:"DIR"`
	Revision      string `help:"The commit, tag or branch of --project that has the bug. Default: HEAD." placeholder:"REV"`
	FixedRevision string `help:"The commit, tag or branch of --project that has the fix: the control that gives grade A." placeholder:"REV"`
}

func (s source) check() error {
	switch {
	case s.Project != "":
	case s.Revision != "":
		return usage("--revision %s: of which project? Name its checkout with --project DIR", s.Revision)
	case s.FixedRevision != "":
		return usage("--fixed-revision %s: of which project? Name its checkout with --project DIR", s.FixedRevision)
	}
	return nil
}

// project is what the flags say, nil without --project. The path is kept whole,
// since a run may be resumed from another folder.
func (s source) project() (*environment.ProjectSource, error) {
	if s.Project == "" {
		return nil, nil
	}
	dir, err := filepath.Abs(s.Project)
	if err != nil {
		return nil, fmt.Errorf("find the project: %w", err)
	}
	return &environment.ProjectSource{Dir: dir, Revision: s.Revision, Fixed: s.FixedRevision}, nil
}
