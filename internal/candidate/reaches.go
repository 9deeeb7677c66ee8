package candidate

import (
	"fmt"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// deed is a kind of call that a script which only shows a bug rarely needs.
type deed struct {
	prefix, what string
}

var deeds = []deed{
	{"socket.create_connection", "opens a socket"}, {"socket.socket", "opens a socket"},
	{"socket.getaddrinfo", "asks a name server"}, {"socket.gethostbyname", "asks a name server"},
	{"urllib.request.", "uses the network"}, {"urllib.urlopen", "uses the network"},
	{"urllib2.", "uses the network"}, {"urllib3.", "uses the network"}, {"requests.", "uses the network"},
	{"http.client.", "uses the network"}, {"httpx.", "uses the network"}, {"aiohttp.", "uses the network"},
	{"ftplib.", "uses the network"}, {"smtplib.", "sends mail"}, {"telnetlib.", "uses the network"},
	{"paramiko.", "uses the network"}, {"websocket.", "uses the network"}, {"websockets.", "uses the network"},
	{"xmlrpc.client.", "uses the network"}, {"asyncio.open_connection", "opens a socket"},
	{"subprocess.", "starts a process"}, {"os.system", "starts a process"}, {"os.popen", "starts a process"},
	{"os.exec", "starts a process"}, {"os.spawn", "starts a process"}, {"os.posix_spawn", "starts a process"},
	{"pty.spawn", "starts a process"}, {"asyncio.create_subprocess", "starts a process"},
	{"getpass.", "asks who the user is"}, {"os.getlogin", "asks who the user is"}, {"pwd.", "asks who the user is"},
	{"keyring.", "reads stored passwords"},
}

var (
	secretPath = lazyre.New(`(^|/)(\.ssh|\.aws|\.gnupg|\.kube|\.netrc|\.pypirc|\.npmrc|\.git-credentials|\.config/gcloud|\.azure|\.docker|\.bash_history|\.zsh_history|\.python_history|id_(rsa|dsa|ecdsa|ed25519)|authorized_keys|\.huggingface)(/|$)` +
		`|^/etc/(passwd|shadow|sudoers)|/run/secrets|/var/run/docker\.sock|169\.254\.169\.254|metadata\.google\.internal`)
	procPath   = lazyre.New(`^/proc/(self|\d+|1|\{[^}]*\}|%[ds])?/?(environ|mem|maps|fd|root|cwd|cmdline|net)(/|$)|^/proc/?$`)
	secretName = lazyre.New(`(?i)(^|_)(api_?key|secret|token|passw(or)?d|access_?key|private_?key|credentials?)s?(_|$)|_KEY$`)
	scanWord   = lazyre.New(`^(KEY|TOKEN|SECRET|PASS(WORD|WD)?|CREDENTIALS?|AWS|API_?KEY)$`)
)

// reaches lists what the script reaches for, as data: whether a reach is an
// attack is decided by whoever knows the report.
func reaches(f *pysyntax.File) []string {
	var found []string
	say := func(line int, format string, args ...any) {
		if len(found) >= maxReasons {
			return
		}
		found = addOnce(found, fmt.Sprintf("line %d: %s", line, fmt.Sprintf(format, args...)))
	}
	scanned := false // the environment is looked through, not asked for one name
	for _, call := range f.Calls {
		if what, name := reach(f, call); what != "" {
			scanned = scanned || strings.HasPrefix(name, "os.environ.")
			say(call.Line, "%s (%s)", what, name)
		}
	}
	for _, a := range f.Attributes {
		if a.Full == "os.environ" && scans(f.Source, a) {
			say(a.Line, "reads the whole environment")
			scanned = true
		}
	}
	for _, s := range f.Strings {
		switch {
		case secretPath.MatchString(s.Value), procPath.MatchString(s.Value):
			say(s.Line, "reaches for %s", clip(s.Value))
		case scanned && scanWord.MatchString(s.Value):
			say(s.Line, "looks for secrets in the environment (%q)", s.Value)
		}
	}
	return found
}

// reach is what one call reaches for, and the words that say so.
func reach(f *pysyntax.File, call pysyntax.Call) (what, name string) {
	full := strings.TrimPrefix(call.Full, "builtins.")
	for _, d := range deeds {
		if strings.HasPrefix(full, d.prefix) && !strings.HasSuffix(full, "Error") {
			return d.what, full
		}
	}
	text := f.Source[call.Span.Start:call.Span.End]
	switch full {
	case "os.getenv", "os.environ.get", "os.environ.pop":
		if value, ok := unquoted(arg(call, 0)); ok && secretName.MatchString(value) {
			return "reads a secret", value
		}
	case "os.environ.items", "os.environ.keys", "os.environ.values":
		return "reads the whole environment", full
	case "exec", "eval", "compile":
		if decoders.MatchString(text) {
			return "runs hidden code", full
		}
	}
	if call.Func == "" && strings.HasPrefix(text, "__import__(") { // __import__("os").system(...)
		for _, module := range []string{"os", "subprocess", "socket", "urllib", "requests", "pty", "http"} {
			if strings.HasPrefix(text[len("__import__("):], `"`+module) || strings.HasPrefix(text[len("__import__("):], `'`+module) {
				return "imports " + module + " on the fly", call.Method
			}
		}
	}
	return "", ""
}

// scans: os.environ is read as a whole, not one variable of it and not handed
// on to a child.
func scans(source string, a pysyntax.Attribute) bool {
	after := strings.TrimLeft(source[a.Span.End:], " ")
	line := lineOf(source, a.Span.Start)
	if strings.HasPrefix(after, "[") {
		return false
	}
	begin := strings.LastIndexByte(source[:a.Span.Start], '\n') + 1
	before := strings.TrimRight(source[begin:a.Span.Start], " (")
	return (strings.HasSuffix(before, " in") && strings.Contains(line, "for ")) ||
		strings.HasSuffix(before, "print") || strings.HasSuffix(before, "json.dumps") || strings.HasSuffix(before, "str")
}
