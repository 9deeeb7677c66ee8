package candidate

import (
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
	"github.com/repgen/repgen/internal/triage/reach"
)

// deadly are calls that end a process by a signal.
var deadly = map[string]bool{
	"os.abort": true, "os.kill": true, "os.killpg": true, "signal.raise_signal": true,
	"signal.pthread_kill": true, "signal.alarm": true, "signal.setitimer": true,
	"ctypes.string_at": true, "ctypes.wstring_at": true, "ctypes.memset": true, "ctypes.memmove": true,
	"os.getppid": true, "os.getpgid": true, "os.getpgrp": true, "os.setsid": true, "os.setpgrp": true,
	"psutil.Process.kill": true, "posix.abort": true, "posix.kill": true,
}

// crashesByHand: a crash must come out of the library.
func crashesByHand(r *reader) {
	for _, call := range r.f.Calls {
		full := r.resolve(call.Func)
		switch {
		case deadly[full], strings.HasPrefix(full, "faulthandler._"), strings.HasPrefix(full, "_testcapi."):
			r.refuse(call.Line, "ends or signals a process by hand (%s)", full)
		case strings.HasPrefix(full, "ctypes.pythonapi"):
			r.refuse(call.Line, "changes the interpreter (%s)", full)
		case full == "sys.exit" || full == "exit" || full == "quit":
			if a := arg(call, 0); a != "" && a != "0" && a != "None" {
				r.note(call.Line, "exits by hand with %s", clip(oneLine(a)))
			}
		}
	}
	for _, a := range r.f.Attributes {
		if full := r.resolve(a.Text); strings.HasPrefix(full, "ctypes.") {
			r.note(a.Line, "uses ctypes")
		}
	}
}

// raisesByHand lists the raises; whether one matters depends on what was
// expected (RefusalsFor).
func raisesByHand(r *reader) {
	for _, raise := range r.f.Raises {
		if raise.Class == "" {
			continue // a bare raise passes on what the library raised
		}
		line := raise.Line
		if r.nested > 0 {
			line = r.line
		}
		r.c.Raises = append(r.c.Raises, HandRaise{Class: raise.Class, Line: line, Scope: raise.Scope})
	}
}

var bundleFile = lazyre.New(`(^|/)(reproduce\.py|verdict\.json|manifest\.json|oracle\.json)$`)

// ownScript: what was frozen must stay as it is while it runs.
func ownScript(r *reader) {
	for _, s := range r.f.Strings {
		if bundleFile.MatchString(s.Value) {
			r.refuse(s.Line, "reaches for the bundle (%s)", clip(s.Value))
		}
	}
	for _, call := range r.f.Calls {
		full := r.resolve(call.Func)
		writes := opensForWriting(call, full) || strings.HasPrefix(call.Method, "write_") ||
			full == "os.remove" || full == "os.unlink" || full == "os.rename" || full == "os.replace" || full == "shutil.copy"
		if !writes {
			continue
		}
		text := r.f.Source[call.Span.Start:call.Span.End]
		switch {
		case strings.Contains(text, ".__file__"):
			r.refuse(call.Line, "edits the library's files (%s)", clip(oneLine(text)))
		case strings.Contains(text, "__file__"), strings.Contains(text, "sys.argv[0]"):
			r.refuse(call.Line, "edits its own script (%s)", clip(oneLine(text)))
		}
	}
}

func opensForWriting(call pysyntax.Call, full string) bool {
	if full != "open" && full != "io.open" && call.Method != "open" {
		return false
	}
	mode := arg(call, 1)
	if m, ok := call.Keywords["mode"]; ok {
		mode = m
	}
	if full != "open" && full != "io.open" { // Path(...).open("w")
		mode = arg(call, 0)
	}
	return strings.ContainsAny(strings.Trim(mode, `"'`), "wax+")
}

// hiddenCode reads the strings that are given to exec as part of the script.
func hiddenCode(r *reader) {
	for _, call := range r.f.Calls {
		full := strings.TrimPrefix(r.resolve(call.Func), "builtins.")
		if full != "exec" && full != "eval" && full != "compile" {
			continue
		}
		if r.disguised(full, call) {
			continue
		}
		expr := r.stringOf(arg(call, 0))
		code, plain := unquoted(expr)
		switch {
		case plain && r.nested == 0:
			sub := &reader{c: r.c, f: pysyntax.Parse(code), nested: 1, line: call.Line}
			sub.run()
		case reach.Decodes(expr):
			r.refuse(call.Line, "runs hidden code (%s)", clip(oneLine(expr)))
		default:
			r.note(call.Line, "runs code from a string (%s)", full)
		}
	}
}

// disguised refuses code that is made to look like the library's: compiled under
// a file name that is not the "<...>" of code without a file, or run inside a
// module's names. Its frames would be taken for the library's own.
func (r *reader) disguised(full string, call pysyntax.Call) bool {
	second := arg(call, 1)
	if name, ok := call.Keywords["filename"]; ok {
		second = name
	}
	switch name, plain := unquoted(second); {
	case second == "":
		return false
	case full == "compile" && plain && (name == "" || strings.HasPrefix(name, "<")):
		return false
	case full == "compile":
		r.refuse(call.Line, "gives code the name of a file (%s)", clip(oneLine(second)))
	case strings.Contains(second, ".__dict__") || strings.HasPrefix(second, "vars("):
		r.refuse(call.Line, "runs code among the names of a module (%s)", clip(oneLine(second)))
	default:
		return false
	}
	return true
}

// stringOf follows one assignment of a name.
func (r *reader) stringOf(expr string) string {
	for _, a := range r.f.Assigns {
		if a.Target == expr && a.Value != "" {
			return a.Value
		}
	}
	return expr
}
