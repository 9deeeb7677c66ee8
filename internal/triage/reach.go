package triage

import (
	"fmt"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// Reaches are what a harmless script has no reason to do. Each of them alone
// is fine (a script may well start a process or read a token); only beside
// steering text do they decide anything (rule 13). The sandbox denies them in
// any case.
var (
	networkCall = lazyre.New(`^(socket\.(socket|create_connection|create_server|socketpair|getaddrinfo|gethostbyname)|urllib\.request\.\w+|urllib\.urlopen|urllib2\.urlopen|requests\.\w+|requests\.sessions\.\w+|httpx\.\w+|aiohttp\.\w+|http\.client\.\w+|ftplib\.\w+|smtplib\.\w+|paramiko\.\w+|telnetlib\.\w+|websockets?\.\w+|asyncio\.open_connection|pycurl\.\w+|xmlrpc\.client\.\w+)`)
	processCall = lazyre.New(`^(subprocess\.\w+|os\.(system|popen|exec\w+|spawn\w+)|pty\.spawn|commands\.getoutput|asyncio\.create_subprocess_\w+)$`)
	hiddenCall  = lazyre.New(`^(exec|eval|builtins\.exec|builtins\.eval|__import__)$`)
	decoder     = lazyre.New(`\b(b64decode|b32decode|b85decode|a85decode|fromhex|unhexlify|decompress|marshal\.loads|codecs\.decode)\b`)
	secretName  = lazyre.New(`(?i)(^|[^a-z])(\w*(api_?key|secret|token|passw(or)?d|credential)\w*|KEY)([^a-z]|$)`)
	secretPath  = lazyre.New(`(?i)((^|[/\\~])\.(ssh|aws|gnupg|netrc|kube|azure|npmrc|pypirc|git-credentials|bash_history|zsh_history|docker|password-store)\b|\.config/(gcloud|gh|hub)|\bid_(rsa|ed25519|ecdsa|dsa)\b|/etc/(passwd|shadow|sudoers)|/proc/(self|\d+|1)/(environ|mem|maps)|\.huggingface/token|wallet\.dat|Login Data|169\.254\.169\.254|/var/run/docker\.sock)`)
	wholeEnv    = lazyre.New(`\b(in|dict\(|list\(|sorted\(|print\(|str\(|repr\(|dumps\() *(dict\(|list\()?os\.environb?\b(\)|$|\s|:|\.items|\.keys|\.values|\]|,)|\bos\.environb?\.(items|keys|values)\(`)
	networkTool = lazyre.New(`\b(curl|wget|nc|ncat|netcat|scp|sftp|ssh|telnet|ftp|nslookup|dig)\b`)
)

// reach is one of them with its place in the report.
type reach struct {
	kind string // "network", "secrets", "process", "hidden code"
	text string
	span report.Span
}

// reachesOf looks at all code of the report, not only at the chosen script: a
// steering text may point at any block.
func reachesOf(r *report.Report) []reach {
	var found []reach
	for _, b := range r.Blocks {
		switch b.Kind {
		case report.BlockPython, report.BlockREPL:
			found = append(found, codeReaches(b)...)
		case report.BlockShell:
			found = append(found, shellReaches(b)...)
		}
	}
	return found
}

func codeReaches(b report.Block) []reach {
	f := pysyntax.Parse(blockSource(b))
	var found []reach
	add := func(kind, what string, line int) {
		found = append(found, reach{kind, fmt.Sprintf("line %d: %s", line, shorten(what, 80)), b.Span})
	}
	for _, c := range f.Calls {
		if kind := callReach(c); kind != "" {
			add(kind, firstOf(c.Full, c.Func), c.Line)
		}
	}
	for _, s := range f.Strings {
		if secretPath.MatchString(s.Value) {
			add("secrets", s.Value, s.Line)
		}
	}
	for i, l := range strings.Split(f.Source, "\n") {
		if readsSecrets(l) {
			add("secrets", strings.TrimSpace(l), i+1)
		}
	}
	return found
}

func callReach(c pysyntax.Call) string {
	name := firstOf(c.Full, c.Func)
	args := strings.Join(c.Args, " ")
	switch {
	case networkCall.MatchString(name):
		return "network"
	case processCall.MatchString(name) && networkTool.MatchString(args):
		return "network"
	case hiddenCall.MatchString(name) && decoder.MatchString(args):
		return "hidden code"
	}
	return ""
}

// readsSecrets: the line walks over the whole environment, or reads a variable
// whose name speaks of a secret.
func readsSecrets(line string) bool {
	if i := strings.IndexByte(line, '#'); i == 0 {
		return false
	}
	if wholeEnv.MatchString(line) {
		return true
	}
	i := strings.Index(line, "environ")
	if i < 0 {
		i = strings.Index(line, "getenv")
	}
	return i >= 0 && secretName.MatchString(line[i:]) && !strings.Contains(line, "] =")
}

func shellReaches(b report.Block) []reach {
	var found []reach
	for i, l := range strings.Split(b.Text, "\n") {
		switch {
		case secretPath.MatchString(l):
			found = append(found, reach{"secrets", fmt.Sprintf("line %d: %s", i+1, shorten(l, 80)), b.Span})
		case networkTool.MatchString(l):
			found = append(found, reach{"network", fmt.Sprintf("line %d: %s", i+1, shorten(l, 80)), b.Span})
		}
	}
	return found
}
