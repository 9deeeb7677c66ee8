package symptom

import (
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// nativeFatal are lines that native code logs right before it aborts:
	// absl/glog level F, glibc's assert and heap checks, the C++ runtime.
	nativeFatal = lazyre.New(`(?:^|\s)F(?:\d{4})?\s.*?[\w./+-]+\.(?:cc|cu|cpp|c|h|hpp|cxx|inc|rs):\d+\]\s*(.+)$` +
		`|^\S*?:? ?[\w./+-]+\.(?:cc|cu|cpp|c|h|hpp|cxx):\d+: .*?(Assertion .+ failed\.?)\s*$` +
		`|^\s*what\(\):\s*(.+)$` +
		`|^((?:double free or corruption|free\(\): |malloc\(\): |munmap_chunk\(\): |realloc\(\): |corrupted (?:size|double)|\*\*\* stack smashing).*)$` +
		`|^\s*(LLVM ERROR: .+|pure virtual method called|OMP: Error #\d+: .+)$`)
	nativeFile = lazyre.New(`([\w+-]+\.(?:cc|cu|cpp|c|h|hpp|cxx|inc|rs)):(\d+)`)
	// terminate is the C++ runtime's announcement of the what() line.
	terminate = lazyre.New(`^\s*(terminate called .+)$`)

	signalWord = lazyre.New(`(?i)\b(SIG(?:ABRT|SEGV|FPE|BUS|ILL|KILL))\b` +
		`|\b(seg(?:mentation )?faults?(?:ed|s|ing)?|segfault(?:s|ed)?)\b` +
		`|(\bAborted \(core dumped\)|^Aborted\.?$|\bFatal Python error: Aborted|` + shellSays + `Aborted\s)` +
		`|(^Killed\.?$|\bOOM[- ]?killed\b|` + shellSays + `Killed\s)` +
		`|(\bfloating[- ]point exception(?: \(core dumped\)|$)|` + shellSays + `Floating point exception\s)` +
		`|(\bbus error(?: \(core dumped\)|$)|` + shellSays + `Bus error\s)` +
		`|(\billegal (?:instruction|hardware instruction)\b)`)
	exitCode = lazyre.New(`(?i)\b(?:exit(?:ed|s)?(?: with)?(?: status| code)?|exit ?code|exit_code|return ?code|rc|returned|code)\s*(?:of|is|was|=|:)?\s*(134|135|136|137|139|132|-(?:4|6|7|8|9|11))\b`)
	// negated: the words say that it did not, or should not, happen.
	negated = lazyre.New(`(?i)\b(?:no|not|never|without|instead of|should|avoid|rather than)\b[^.]{0,40}$`)

	faultHead  = lazyre.New(`^(?:Fatal Python error|Windows fatal exception): (.+?)\s*$`)
	faultFrame = lazyre.New(`^\s*File "([^"]+)", line (\d+|\?\?\?) in (.+?)\s*$`)
	faultStack = lazyre.New(`^(?:Current thread|Thread) 0x[0-9a-f]+.*\(most recent call first\)`)
)

// shellSays is how bash names the script line and the process that died:
// "run.sh: line 3: 4711 Aborted    python train.py".
const shellSays = `: line \d+:\s+\d+ `

// hintFatal and hintSignal are the words that the patterns above begin with.
var (
	hintFatal = hasAny("] ", "Assertion ", "what():", "free", "malloc(", "munmap_chunk(", "realloc(", "corrupted ", "stack smashing",
		"LLVM ERROR", "pure virtual", "OMP: Error", "terminate called")
	hintSignal = hasAny("SIG", "sig", "Seg", "seg", "SEG", "Abort", "abort", "kill", "Kill", "KILL", "loating", "us error", "us Error",
		"llegal", "xit", "XIT", "ode", "ODE", "eturn", "rc")
)

// signalGroups are the signals of signalWord's groups from the second on.
var signalGroups = []string{"", "", "SIGSEGV", "SIGABRT", "SIGKILL", "SIGFPE", "SIGBUS", "SIGILL"}

// signalNumbers are Linux's.
var signalNumbers = map[int]string{4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV"}

// SignalName gives the name of a fatal signal by its number, "" if it is none.
func SignalName(number int) string { return signalNumbers[number] }

// near is how many lines a native log line and the shell's word about the
// signal may stand apart: a C++ stack can come between (guess).
const near = 80

// fatalLine reads a native log line. Alone it means an abort; a signal that
// follows is merged into it.
func (s *scanner) fatalLine(i int) (int, bool) {
	msg := fatalMessage(s.text(i))
	if msg == "" {
		return i, false
	}
	if s.pending >= 0 && strings.HasPrefix(strings.TrimSpace(s.text(i)), "what()") && s.pendingLine+3 >= i {
		s.out[s.pending].FatalLine = msg
		s.out[s.pending].End = s.lines[i].end
		return i + 1, true
	}
	sym := Symptom{Kind: Signal, Signal: "SIGABRT", FatalLine: msg}
	if m := nativeFile.FindStringSubmatch(s.text(i)); m != nil {
		n, _ := strconv.Atoi(m[2]) // the pattern holds digits only
		sym.Frames = []Frame{{File: m[1], Where: whereUnknown, Line: n}}
	}
	s.span(&sym, i, i+1)
	s.pending, s.pendingLine = len(s.out), i
	s.add(sym)
	return i + 1, true
}

func fatalMessage(t string) string {
	if !hintFatal(t) {
		return ""
	}
	m := nativeFatal.FindStringSubmatch(t)
	if m == nil {
		m = terminate.FindStringSubmatch(t)
	}
	for i := 1; i < len(m); i++ {
		if m[i] != "" {
			return strings.TrimSpace(m[i])
		}
	}
	return ""
}

// signal reads words about a fatal signal: the shell's, the kernel's, a
// debugger's, an exit code.
func (s *scanner) signal(i int) (int, bool) {
	name := signalIn(s.text(i))
	if name == "" {
		return i, false
	}
	if s.pending >= 0 && i-s.pendingLine <= near {
		p := &s.out[s.pending]
		if p.Signal == name || p.Signal == "SIGABRT" {
			p.Signal, p.End = name, s.lines[i].end
			s.pending = -1
			return i + 1, true
		}
	}
	sym := Symptom{Kind: Signal, Signal: name}
	s.span(&sym, i, i+1)
	s.add(sym)
	return i + 1, true
}

func signalIn(t string) string {
	if !hintSignal(t) {
		return ""
	}
	t = strings.TrimSpace(strings.Trim(strings.TrimSpace(t), "`*_#"))
	if m := signalWord.FindStringSubmatchIndex(t); m != nil {
		if negated.MatchString(t[:m[0]]) {
			return ""
		}
		for g := 1; g < len(signalGroups); g++ {
			if m[2*g] < 0 {
				continue
			}
			if g == 1 {
				return strings.ToUpper(t[m[2]:m[3]])
			}
			return signalGroups[g]
		}
	}
	if m := exitCode.FindStringSubmatchIndex(t); m != nil && !negated.MatchString(t[:m[0]]) {
		n, _ := strconv.Atoi(t[m[2]:m[3]]) // the pattern holds digits only
		if n < 0 {
			return signalNumbers[-n]
		}
		return signalNumbers[n-128]
	}
	return ""
}

// faulthandler reads the interpreter's own words about a fatal signal with the
// Python stack at that moment, which it prints innermost first.
func (s *scanner) faulthandler(i int) (int, bool) {
	m := faultHead.FindStringSubmatch(s.text(i))
	if m == nil {
		return i, false
	}
	sym := Symptom{Kind: Signal, Signal: faultSignal(m[1])}
	if sym.Signal == "" {
		sym.Signal, sym.FatalLine = "SIGABRT", m[1]
	}
	next := s.threads(&sym, i+1, faultStack, s.faultFrameAt)
	s.span(&sym, i, next)
	if s.pending >= 0 && i-s.pendingLine <= near {
		p := &s.out[s.pending]
		p.Signal, p.Frames, p.End = sym.Signal, append(p.Frames, sym.Frames...), sym.End
		return next, true
	}
	s.pending, s.pendingLine = len(s.out), next
	s.add(sym)
	return next, true
}

// faultSignal maps faulthandler's words to the signal.
func faultSignal(words string) string {
	switch strings.ToLower(words) {
	case "segmentation fault", "access violation", "stack overflow":
		return "SIGSEGV"
	case "aborted":
		return "SIGABRT"
	case "floating point exception", "floating-point exception":
		return "SIGFPE"
	case "bus error":
		return "SIGBUS"
	case "illegal instruction":
		return "SIGILL"
	}
	return ""
}
