package symptom

import (
	"path"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// Places of a frame.
const (
	whereScript  = "script"
	whereLibrary = "library"
	whereStdlib  = "stdlib"
	whereUnknown = "unknown"
)

var (
	sitePackages = lazyre.New(`(?i)(?:^|/)(?:site|dist)-packages/(.*)$`)
	stdlibDir    = lazyre.New(`(?i)(?:^|/)(?:lib(?:64)?/(?:python|pypy)\d(?:\.\d+)?t?|python\d+/lib|(?:ana|mini)conda3?(?:/envs/[^/]+)?/lib)/(.*)$`)
	// eggFolder is that of a package that was installed as an egg.
	eggFolder = lazyre.New(`(?i)^[^/]+-py\d[^/]*\.egg/`)
	// notebook names of code that the reporter typed.
	typedCode = lazyre.New(`^(?:<stdin>|<string>|<ipython-input-[^>]*>|<input>|<console>|<cell[^>]*>|(?:Input )?In ?\[\d*\]|Cell In ?\[\d*\])`)
	// parameter list that IPython and tf print behind a name.
	paramList = lazyre.New(`\(.*$`)
)

// newFrame reads a frame as a log names it: any operating system's path, cut
// or whole, or the name of something typed.
func newFrame(file, function string, lineNo int, source string) Frame {
	f := Frame{Line: lineNo, Source: strings.TrimSpace(source)}
	f.Function = strings.TrimSpace(paramList.ReplaceAllString(function, ""))
	if f.Function == "" && function == "<module>" {
		f.Function = function
	}
	f.File, f.Package, f.Where = place(file)
	if f.Package == "" && f.Where == whereUnknown && isCython(f.File) {
		// Cython names the compiled module in the function, not in the file.
		if top, _, ok := strings.Cut(f.Function, "."); ok {
			f.Package, f.Where = top, whereLibrary
		}
	}
	return f
}

func isCython(file string) bool {
	return strings.HasSuffix(file, ".pyx") || strings.HasSuffix(file, ".pxd") || strings.HasSuffix(file, ".pxi")
}

// place gives the stable tail of a path, its package and where it belongs.
func place(file string) (tail, pkg, where string) {
	file = strings.TrimSpace(strings.Trim(file, `"'`))
	if typedCode.MatchString(file) {
		return file, "", whereScript
	}
	p := strings.ReplaceAll(file, `\`, "/")
	if m := sitePackages.FindStringSubmatch(p); m != nil {
		tail := eggFolder.ReplaceAllString(m[1], "")
		return tail, topPackage(tail), whereLibrary
	}
	switch {
	case strings.HasPrefix(p, "<frozen"), strings.HasPrefix(p, "<__array_function__"),
		strings.HasPrefix(p, "<attrs"), strings.HasPrefix(p, "<decorator"):
		return p, "", whereStdlib
	case strings.Contains(p, "/ipykernel_"), strings.HasPrefix(p, sandbox.WorkDir+"/"):
		return path.Base(p), "", whereScript
	}
	if m := stdlibDir.FindStringSubmatch(p); m != nil {
		return m[1], "", whereStdlib
	}
	return guessPlace(p)
}

// guessPlace reads a path without any landmark. Behind "..." or "~" of a cut
// path with folders stands what the reporter held for the telling part: a
// package and its file. A bare name is the script.
func guessPlace(p string) (tail, pkg, where string) {
	for _, cut := range []string{".../", "…/"} {
		if i := strings.LastIndex(p, cut); i >= 0 {
			tail = p[i+len(cut):]
			if strings.Contains(tail, "/") {
				return tail, topPackage(tail), whereLibrary
			}
			return tail, "", whereUnknown
		}
	}
	if strings.HasPrefix(p, "<") {
		return p, "", whereUnknown
	}
	p = strings.TrimPrefix(p, "./")
	if !strings.Contains(p, "/") {
		if isCython(p) {
			return p, "", whereUnknown
		}
		return p, "", whereScript
	}
	return p, "", whereUnknown
}

func topPackage(tail string) string {
	top, rest, ok := strings.Cut(tail, "/")
	if !ok || rest == "" {
		top = strings.TrimSuffix(top, path.Ext(top))
	}
	return top
}

// fromProbe turns the observer's frames into stable ones. Code whose globals
// are those of __main__ is the script's, whatever file name it was compiled
// under: compile() takes any name.
func fromProbe(frames []probe.Frame) []Frame {
	out := make([]Frame, 0, min(len(frames), maxFrames))
	for i, pf := range frames {
		if len(frames) > maxFrames && i >= maxFrames/2 && i < len(frames)-maxFrames/2 {
			continue // endless recursion: both ends tell the story
		}
		f := newFrame(pf.File, "", pf.Line, pf.Source)
		f.Function, f.Altered = pf.Function, pf.Altered
		if pf.Module == "__main__" || writable(pf.File) || pf.Altered && f.Where != whereLibrary {
			f.File, f.Package, f.Where = path.Base(f.File), "", whereScript
		}
		out = append(out, f)
	}
	return out
}

// writable says whether the script itself could have put a file there: below
// such a place a folder named site-packages proves nothing. Python keeps a path
// as the script gave it ("/env/../tmp/site-packages").
func writable(file string) bool {
	if strings.HasPrefix(file, "/") {
		file = path.Clean(file)
	}
	for _, dir := range []string{sandbox.WorkDir, "/tmp", "/dev/shm", "/proc"} {
		if strings.HasPrefix(file, dir+"/") {
			return true
		}
	}
	return strings.Contains(file, "site-packages") && !strings.HasPrefix(file, "/") && !strings.Contains(file, `:\`)
}

// Innermost returns the innermost frame that is not in the standard library:
// the place that raised. ok is false when there is none.
func Innermost(frames []Frame) (f Frame, ok bool) {
	for i := len(frames) - 1; i >= 0; i-- {
		if frames[i].Where != whereStdlib {
			return frames[i], true
		}
	}
	return Frame{}, false
}

// InLibrary says whether the frame belongs to an installed package.
func (f Frame) InLibrary() bool { return f.Where == whereLibrary }

// InScript says whether the frame belongs to the judged script.
func (f Frame) InScript() bool { return f.Where == whereScript }

var raiseStmt = lazyre.New(`^(?:raise\b|assert\b|(?:os\.)?abort\(|(?:\w+\.)?(?:warn(?:_explicit)?|showwarning)\()`)

// RaisesByHand says whether the frame's own statement raises, asserts, aborts
// or warns, so that what came out was made by whoever wrote that line.
func (f Frame) RaisesByHand() bool { return raiseStmt.MatchString(f.Source) }
