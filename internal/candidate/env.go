package candidate

import (
	"strings"

	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	envName  = lazyre.New(`^[A-Z][A-Z0-9_]{1,63}$`)
	anyName  = lazyre.New(`^[A-Z_][A-Z0-9_]{0,127}$`)
	envValue = lazyre.New(`^[\w.,:;=/+@%\- ]{0,200}$`)
	// deniedEnv names what would change the interpreter, the sandbox or the
	// installer rather than the library, or what carries a secret.
	deniedEnv = lazyre.New(`^(PATH|HOME|USER|LOGNAME|SHELL|TERM|IFS|ENV|BASH_ENV|TMP|TEMP|TMPDIR|PWD|LANG` +
		`|LD_.*|DYLD_.*|GCONV_PATH|GLIBC_TUNABLES|LOCPATH|NLSPATH|RES_OPTIONS|HOSTALIASES` +
		`|PYTHON(PATH|HOME|STARTUP|INSPECT|EXECUTABLE|USERBASE|PLATLIBDIR|BREAKPOINT|PYCACHEPREFIX|SAFEPATH|NOUSERSITE)` +
		`|REPGEN_.*|UV_.*|PIP_.*|XDG_.*|CONDA_.*|VIRTUAL_ENV|SSL_.*|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|SSH_.*|GIT_.*` +
		`|.*_PROXY|.*(TOKEN|SECRET|PASSWORD|PASSWD|API_KEY|ACCESS_KEY|CREDENTIALS).*)$`)
	// remedy: the sentence offers the variable as a way around the symptom.
	remedy = lazyre.New(`(?i)work[- ]?around|\bhelps?\b|\bfix(es|ed)?\b|\bsolve[sd]?\b|\bavoid|\bresolve[sd]?\b|goes away|disappear|no longer|\bfine\b|\bworks\b|\bwithout\b|\binstead\b|\bif (i|you|we) (un)?set\b`)
)

// environment takes over the variables that the report sets in prose or in a
// shell line. What the code sets itself is set by the code.
func (c *Candidate) environment(r *report.Report) {
	for _, v := range r.Env {
		if v.Where != "prose" && v.Where != "shell" {
			continue
		}
		if _, set := c.Env[v.Name]; set || !sane(v) || insideLog(r, v.Span) {
			continue
		}
		if remedy.MatchString(sentence(r.Text, v.Span)) {
			c.Notes = addOnce(c.Notes, v.Name+"="+v.Value+" is not set: the report offers it as a remedy")
			continue
		}
		c.setEnv(v.Name, v.Value)
		c.edit(Edit{Kind: "env", Why: "the report sets this variable", After: v.Name + "=" + v.Value})
	}
}

func sane(v report.EnvVar) bool {
	return envName.MatchString(v.Name) && envValue.MatchString(v.Value) && !deniedEnv.MatchString(v.Name)
}

// insideLog: a log that advises to set a variable does not say that it was set.
func insideLog(r *report.Report, at report.Span) bool {
	for _, b := range r.Blocks {
		if b.Span.Start <= at.Start && at.End <= b.Span.End && b.Span.End > 0 {
			return b.Kind == report.BlockTraceback || b.Kind == report.BlockOutput
		}
	}
	for _, tb := range r.Tracebacks {
		if tb.Span.Start <= at.Start && at.End <= tb.Span.End && tb.Span.End > 0 {
			return true
		}
	}
	return false
}

// clauseEnd separates what is said of one thing from what is said of another:
// "fine with A=1 but not with B=2".
var clauseEnd = lazyre.New(`\n|[.,;] |[.]$| but | while | whereas `)

// sentence is the text around a span up to the nearest ends of a clause.
func sentence(text string, at report.Span) string {
	if !at.Within(text) {
		return ""
	}
	const reach = 400 // no clause is longer: a guess
	head, tail := text[max(0, at.Start-reach):at.Start], text[at.End:min(len(text), at.End+reach)]
	if ends := clauseEnd.FindAllStringIndex(head, -1); len(ends) > 0 {
		head = head[ends[len(ends)-1][1]:]
	}
	if end := clauseEnd.FindStringIndex(tail); end != nil {
		tail = tail[:end[0]]
	}
	return head + text[at.Start:at.End] + tail
}

// ForbiddenEnv says that a variable would change the interpreter, the sandbox
// or the installer rather than the library, or carries a secret, so that no
// report may set it. Some are read in lower case too (http_proxy).
func ForbiddenEnv(name string) bool {
	upper := strings.ToUpper(name)
	return !anyName.MatchString(upper) || deniedEnv.MatchString(upper)
}
