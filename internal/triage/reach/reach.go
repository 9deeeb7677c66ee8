// Package reach knows what code reaches for that only shows a bug rarely needs: the
// network, secrets, other processes. Each alone is fine (a script may well start a
// process or read a token), and the sandbox denies them in any case: beside text
// that steers they make a report hostile, and a model's script is refused for some.
package reach

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// Kind says what is reached for.
type Kind string

const (
	Network Kind = "network"
	Secrets Kind = "secrets"
	Process Kind = "process"
	Hidden  Kind = "hidden code"
	User    Kind = "user"
)

// Reach is one of them.
type Reach struct {
	Kind Kind
	Line int    // 1-based
	What string // "uses the network"
	Name string // the call, the variable, the path
}

// String is "uses the network (requests.post)".
func (r Reach) String() string {
	if r.What == "" {
		return "reaches for " + clip(r.Name)
	}
	return fmt.Sprintf("%s (%s)", r.What, clip(r.Name))
}

// call is the beginning of a call's full name.
type call struct {
	prefix string
	kind   Kind
	what   string
}

// calls, the longest of equal beginnings first.
var calls = []call{
	{"socket.create_connection", Network, "opens a socket"}, {"socket.create_server", Network, "opens a socket"}, {"socket.socket", Network, "opens a socket"},
	{"socket.getaddrinfo", Network, "asks a name server"}, {"socket.gethostbyname", Network, "asks a name server"}, {"asyncio.open_connection", Network, "opens a socket"},
	{"urllib.request.", Network, "uses the network"}, {"urllib.urlopen", Network, "uses the network"}, {"urllib2.", Network, "uses the network"}, {"urllib3.", Network, "uses the network"},
	{"requests.", Network, "uses the network"}, {"http.client.", Network, "uses the network"}, {"httpx.", Network, "uses the network"}, {"aiohttp.", Network, "uses the network"}, {"pycurl.", Network, "uses the network"},
	{"ftplib.", Network, "uses the network"}, {"telnetlib.", Network, "uses the network"}, {"paramiko.", Network, "uses the network"}, {"websocket.", Network, "uses the network"}, {"websockets.", Network, "uses the network"},
	{"xmlrpc.client.", Network, "uses the network"}, {"smtplib.", Network, "sends mail"},
	{"subprocess.", Process, "starts a process"}, {"os.system", Process, "starts a process"}, {"os.popen", Process, "starts a process"}, {"os.exec", Process, "starts a process"}, {"os.spawn", Process, "starts a process"},
	{"os.posix_spawn", Process, "starts a process"}, {"pty.spawn", Process, "starts a process"}, {"commands.getoutput", Process, "starts a process"}, {"asyncio.create_subprocess", Process, "starts a process"},
	{"getpass.", User, "asks who the user is"}, {"os.getlogin", User, "asks who the user is"}, {"pwd.", User, "asks who the user is"},
	{"keyring.", Secrets, "reads stored passwords"},
	{"os.environ.items", Secrets, "reads the whole environment"}, {"os.environ.keys", Secrets, "reads the whole environment"}, {"os.environ.values", Secrets, "reads the whole environment"},
}

var (
	// secretPath are places of keys, histories and sessions, of the host's other
	// processes and of the machines that clouds lend.
	secretPath = lazyre.New(`(?i)(^|[/\\~])\.(ssh|aws|gnupg|netrc|kube|azure|npmrc|pypirc|git-credentials|bash_history|zsh_history|python_history|docker|password-store|huggingface)(/|\\|$|\b[^\w.-])|\.config/(gcloud|gh|hub)\b|\bid_(rsa|ed25519|ecdsa|dsa)\b|\bauthorized_keys\b|/etc/(passwd|shadow|sudoers)|/run/secrets|/var/run/docker\.sock|wallet\.dat|\bLogin Data\b|169\.254\.169\.254|metadata\.google\.internal` +
		`|/proc/(self|\d+|\{[^}]*\}|%[ds])?/?(environ|mem|maps|fd|root|cwd|cmdline|net)(/|\b[^\w]|$)|^/proc/?$`)
	// secretName is a variable's: TOKENIZERS_PARALLELISM is none.
	secretName = lazyre.New(`(?i)(^|_)(api_?key|secret|token|passw(or)?d|access_?key|private_?key|credentials?)s?(_|$)|_KEY$`)
	// readName is a variable of the environment by its name; group 2 is there when
	// it is set and not read.
	readName = lazyre.New(`\benvironb?\[\s*b?["']([^"'\n]{1,80})["']\s*\](\s*=[^=])?`)
	// wholeEnv looks through the environment, or shows all of it; handing it on to
	// a child is neither, and neither is the question whether a name is in it.
	wholeEnv = lazyre.New(`(?:\bfor \(?\w+(?:, ?\w+)*\)? in|\b(?:print|str|repr|sorted|list|set|tuple|dumps)\() *(?:(?:dict|list|sorted|str)\( *)?(?:\w+\.)?environb?(?:\)|\]|:|,|\s|$)`)
	// scanWord is looked for in the names of an environment that is looked through.
	scanWord    = lazyre.New(`^(KEY|TOKEN|SECRET|PASS(WORD|WD)?|CREDENTIALS?|AWS|API_?KEY)$`)
	networkTool = lazyre.New(`\b(curl|wget|nc|ncat|netcat|scp|sftp|ssh|telnet|ftp|nslookup|dig)\b`)
	// decoder turns an unreadable text into code.
	decoder = lazyre.New(`b(16|32|64|85)decode|a85decode|fromhex|unhexlify|decompress|marshal|codecs|rot_?13|\bchr\(|\[::-1\]|loads\(`)
)

// Decodes says that an expression makes a text of what nobody can read.
func Decodes(expr string) bool { return decoder.MatchString(expr) }

// maxFound of one text: who looks at them needs some, and a hostile script has as
// many as it likes.
const maxFound = 50

// In lists what a script reaches for, in no order.
func In(f *pysyntax.File) []Reach {
	l := list{}
	for _, c := range f.Calls {
		l.call(f, c)
	}
	scanned := l.environment(f)
	for _, s := range f.Strings {
		switch {
		case secretPath.MatchString(s.Value):
			l.add(Reach{Secrets, s.Line, "", s.Value})
		case scanned && scanWord.MatchString(s.Value):
			l.add(Reach{Secrets, s.Line, "looks for secrets in the environment", s.Value})
		}
	}
	return l.found
}

// InShell lists what the lines of a shell reach for.
func InShell(text string) []Reach {
	l := list{}
	for i, line := range strings.Split(text, "\n") {
		switch {
		case secretPath.MatchString(line):
			l.add(Reach{Secrets, i + 1, "", strings.TrimSpace(line)})
		case networkTool.MatchString(line):
			l.add(Reach{Network, i + 1, "uses the network", strings.TrimSpace(line)})
		}
	}
	return l.found
}

type list struct{ found []Reach }

func (l *list) add(r Reach) {
	if len(l.found) < maxFound && !slices.Contains(l.found, r) {
		l.found = append(l.found, r)
	}
}

// call is what one call reaches for.
func (l *list) call(f *pysyntax.File, c pysyntax.Call) {
	full := strings.TrimPrefix(cmp.Or(c.Full, c.Func), "builtins.")
	args := strings.Join(c.Args, " ")
	for _, known := range calls {
		if !strings.HasPrefix(full, known.prefix) || strings.HasSuffix(full, "Error") {
			continue
		}
		if known.kind == Process && networkTool.MatchString(args) {
			known.kind = Network
		}
		l.add(Reach{known.kind, c.Line, known.what, full})
		return
	}
	switch full {
	case "os.getenv", "os.environ.get", "os.environ.pop":
		if name := literal(c); secretName.MatchString(name) {
			l.add(Reach{Secrets, c.Line, "reads a secret", name})
		}
	case "exec", "eval", "compile", "__import__":
		if Decodes(args) {
			l.add(Reach{Hidden, c.Line, "runs hidden code", full})
		}
	}
	if m := onTheFly.FindStringSubmatch(f.Source[c.Span.Start:c.Span.End]); m != nil && c.Func == "" {
		kind := Network
		if m[1] == "os" || m[1] == "subprocess" || m[1] == "pty" {
			kind = Process
		}
		l.add(Reach{kind, c.Line, "imports " + m[1] + " on the fly", c.Method})
	}
}

// onTheFly is __import__("os").system(...).
var onTheFly = lazyre.New(`^__import__\(["'](os|subprocess|socket|urllib|requests|pty|http)`)

// literal is the first argument where it is a plain string.
func literal(c pysyntax.Call) string {
	if len(c.Args) == 0 {
		return ""
	}
	return strings.Trim(c.Args[0], `"'`)
}

// environment finds variables that are read by a secret's name, and says whether
// all of them are looked at.
func (l *list) environment(f *pysyntax.File) bool {
	scanned := slices.ContainsFunc(l.found, func(r Reach) bool { return strings.HasPrefix(r.Name, "os.environ.") })
	if !strings.Contains(f.Source, "environ") {
		return scanned
	}
	for i, line := range strings.Split(f.Source, "\n") {
		if line, _, _ = strings.Cut(line, "#"); !strings.Contains(line, "environ") {
			continue
		}
		for _, m := range readName.FindAllStringSubmatch(line, -1) {
			if m[2] == "" && secretName.MatchString(m[1]) {
				l.add(Reach{Secrets, i + 1, "reads a secret", m[1]})
			}
		}
		if wholeEnv.MatchString(line) {
			l.add(Reach{Secrets, i + 1, "reads the whole environment", "os.environ"})
			scanned = true
		}
	}
	return scanned
}

func clip(s string) string {
	const most = 60 // characters of a path or a command that are shown; a guess
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
