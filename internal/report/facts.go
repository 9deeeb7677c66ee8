package report

import (
	"strings"

	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// envProse: "with KERAS_BACKEND=jax set".
	envProse = lazyre.New("(?:^|[\\s(,;])([A-Z][A-Z0-9]*_[A-Z0-9_]*)=[\"']?([^\\s,;)\"']+)")
	// envAssign: "export A=1", "A=1 python x.py".
	envAssign = lazyre.New(`(?:^|[\s;&!])(?:(?:export|set|env|%(?:set_)?env)\s+)?([A-Z][A-Z0-9_]{2,})=("[^"\n]*"|'[^'\n]*'|[^\s;&|]*)`)
	// envMagic: "%env A=1", "%set_env A 1".
	envMagic = lazyre.New(`^\s*%(?:set_)?env\s+([A-Z][A-Z0-9_]{2,})[= ]\s*(\S.*?)\s*$`)
	// envCode: os.environ["A"] = "1" and its relatives.
	envCode = lazyre.New(`\b(?:os\.)?environ\[\s*["']([A-Za-z_]\w*)["']\s*\]\s*=\s*["']([^"'\n]*)["']|\b(?:os\.)?(?:environ\.setdefault|putenv)\(\s*["']([A-Za-z_]\w*)["']\s*,\s*["']([^"'\n]*)["']`)
	// envAdvice: a variable that makes the symptom go away was not set.
	envAdvice = lazyre.New(`(?i)\b(?:helps?|helped|fix(?:es|ed)?|works?|solves?|avoids?|go(?:es)? away|gone|disappears?|workaround|without)\b`)
	// osFact: "Ubuntu 22.04", "macOS 14", "Windows".
	osFact = lazyre.New(`(?i)\b(ubuntu|debian|fedora|centos|rhel|arch linux|alpine|mac ?os|os x|windows(?: server)?|linux|wsl ?2?)\b(?:[ -]?v?(\d+(?:\.\d+)*(?:\s?LTS)?))?`)
	// gpuFact: "RTX 4090", "A100-SXM4", "Tesla T4", "Apple M1".
	gpuFact = lazyre.New(`\b((?:NVIDIA |GeForce |Tesla |Quadro )*(?:RTX|GTX) ?(?:A?\d{4})(?: ?Ti| ?SUPER)?|(?:NVIDIA |Tesla )?(?:[AHBVPL]\d{2,3}|T4|L4|L40S?|GB?200|GH200|P100|K80)(?:-\w+)?|MI\d{3}X?|Apple M\d(?: \w+)?)\b`)
	// driverFact: "Driver Version: 525.105.17".
	driverFact = lazyre.New(`(?i)\bdriver(?: version)?:?\s+v?(\d{3}(?:\.\d+)*)`)
	// cudaFact: "CUDA 12.1".
	cudaFact = lazyre.New(`(?i)\bcuda(?: version| toolkit)?:?\s+v?(\d{1,2}\.\d+(?:\.\d+)*)`)
	// deviceFact: "CPU only", "on GPU", "CUDA available: False".
	deviceFact = lazyre.New(`(?i)\b(no gpus?(?: involved)?|without (?:a )?gpu|cpu[- ]only|on (?:the )?(?:cpu|gpus?|tpus?(?: pod)?|mps)|gpu enabled: \w+|is cuda available: \w+|cuda available: \w+|cpu|tpu|mps|cuda)\b`)
)

// readEnv collects environment variables that the reporter set. Advice inside
// a log is none, nor is a variable that is said to make the symptom go away.
func (p *parser) readEnv() {
	for _, s := range p.sentences() {
		t := p.plain[s.start:s.end]
		if !strings.Contains(t, "=") || envAdvice.MatchString(t) {
			continue
		}
		for _, m := range envProse.FindAllStringSubmatchIndex(t, 16) {
			value := strings.TrimRight(t[m[4]:m[5]], ".:!?")
			p.addEnv(t[m[2]:m[3]], value, "prose", Span{s.start + m[2], s.start + m[4] + len(value)})
		}
	}
	for i := range p.blks {
		p.blockEnv(&p.blks[i], p.r.Blocks[i].Kind)
	}
	p.kerasBackend()
}

var backendWords = lazyre.New(`(?i)\b(jax|tensorflow|tf|torch|pytorch)[ -]backend\b`)

// backendNames are the words for the backends of keras, as KERAS_BACKEND has them.
var backendNames = map[string]string{"jax": "jax", "tensorflow": "tensorflow", "tf": "tensorflow", "torch": "torch", "pytorch": "torch"}

// kerasBackend reads "fails with the JAX backend" in a report about keras: the
// words set the variable as surely as a line of code. The title counts first; a
// sentence that calls something fine speaks of another backend.
func (p *parser) kerasBackend() {
	if !p.imports["keras"] && p.main.dist != "keras" {
		return
	}
	for _, e := range p.r.Env {
		if e.Name == "KERAS_BACKEND" {
			return
		}
	}
	var found []EnvVar
	for _, s := range p.sentences() {
		t := p.plain[s.start:s.end]
		m := backendWords.FindStringSubmatchIndex(t)
		if m == nil || p.inReply(s.start) || !s.title && anyGood(moods(t)) {
			continue
		}
		v := EnvVar{Name: "KERAS_BACKEND", Value: backendNames[strings.ToLower(t[m[2]:m[3]])], Where: "prose", Span: Span{s.start + m[0], s.start + m[1]}}
		if s.title {
			found = []EnvVar{v}
			break
		}
		if len(found) > 0 && found[0].Value != v.Value {
			return // several, and none is the one
		}
		if len(found) == 0 {
			found = append(found, v)
		}
	}
	p.r.Env = append(p.r.Env, found...)
}

// blockEnv reads the variables that a block sets: exports and prefixes of shell
// lines, magics of notebooks, os.environ in code.
func (p *parser) blockEnv(b *blk, kind BlockKind) {
	if kind != BlockShell && kind != BlockPython && kind != BlockREPL && kind != BlockOutput {
		return
	}
	for _, l := range b.lines {
		t := p.text[l.start:l.end]
		if kind == BlockOutput && command(t) == "" {
			continue // only what was typed
		}
		if !strings.ContainsAny(t, "=%(") || len(t) > 2000 {
			continue
		}
		for _, m := range envCode.FindAllStringSubmatchIndex(t, 16) {
			k := 2
			if m[2] < 0 {
				k = 6
			}
			p.addEnv(t[m[k]:m[k+1]], t[m[k+2]:m[k+3]], "code", Span{l.start + m[0], l.start + m[1]})
		}
		if m := envMagic.FindStringSubmatchIndex(t); m != nil {
			p.addEnv(t[m[2]:m[3]], strings.Trim(t[m[4]:m[5]], `"'`), "shell", Span{l.start + m[2], l.start + m[5]})
			continue
		}
		if kind == BlockShell || kind == BlockOutput || magicLine.MatchString(t) {
			for _, m := range envAssign.FindAllStringSubmatchIndex(t, 16) {
				p.addEnv(t[m[2]:m[3]], strings.Trim(t[m[4]:m[5]], `"'`), "shell", Span{l.start + m[2], l.start + m[5]})
			}
		}
	}
}

// addEnv records a variable, up to the limit.
func (p *parser) addEnv(name, value, where string, s Span) {
	if len(p.r.Env) < maxEnv {
		p.r.Env = append(p.r.Env, EnvVar{Name: name, Value: value, Where: where, Span: s})
	}
}

// readPlatform collects facts about the machine, from prose and from lists of
// versions.
func (p *parser) readPlatform() {
	for _, s := range p.sentences() {
		from := fromProse
		// A list without marks is a long "sentence"; a short one is a remark.
		if (s.item || s.end-s.start > maxRemark) && p.roleAt(s.start) == RoleVersions {
			from = fromList
		}
		p.platformIn(p.plain[s.start:s.end], s.start, from)
	}
	for i, b := range p.r.Blocks {
		if b.Kind == BlockVersions || b.Role == RoleVersions {
			for _, l := range p.blks[i].lines[:min(len(p.blks[i].lines), 400)] {
				p.platformIn(p.text[l.start:l.end], l.start, fromList)
			}
		}
	}
}

// maxRemark is how long a remark about the machine may be, in bytes (a guess).
const maxRemark = 60

// deviceLabel is the label of a list's line that names the device. Only "CPU" is
// taken there: what else a machine has, the script need not use.
var deviceLabel = lazyre.New(`(?i)(?:\bdevice|\baccelerator|\bbackend|设备)\s*[:=]\s*$`)

// origin says what kind of text a platform fact stands in.
type origin int

const (
	fromProse origin = iota
	fromList
)

// platformIn reads the facts of a line; in a list of versions ("CUDA used to
// build") a bare device word says nothing.
func (p *parser) platformIn(t string, base int, from origin) {
	t = t[:min(len(t), 4096)]
	lower := lowered(t)
	shut := map[string]bool{
		"os": !osGate.open(lower), "driver": !strings.Contains(lower, "driver"), "cuda": !strings.Contains(lower, "cuda"),
		"device": !deviceGate.open(lower), "gpu": lower == t || !strings.ContainsAny(t, "0123456789"),
	}
	for _, f := range []struct {
		name string
		re   *lazyre.Regexp
	}{{"os", osFact}, {"gpu", gpuFact}, {"driver", driverFact}, {"cuda", cudaFact}, {"device", deviceFact}} {
		if shut[f.name] {
			continue
		}
		for _, m := range f.re.FindAllStringSubmatchIndex(t, 4) {
			k := 2
			if f.name == "os" {
				k = 0
			}
			if m[0] > 0 && strings.IndexByte("-_.+", t[m[0]-1]) >= 0 {
				continue // part of a name or version: tensorflow-cpu, 2.1.0+cpu
			}
			if noMachine.MatchString(t[:m[0]]) || f.name == "device" && strings.HasPrefix(t[m[1]:], " used to build") {
				continue
			}
			if from == fromList && f.name == "device" && !strings.Contains(t[m[k]:m[k+1]], " ") && !(strings.EqualFold(t[m[k]:m[k+1]], "cpu") && deviceLabel.MatchString(t[:m[0]])) {
				continue
			}
			p.addFact(f.name, t[m[k]:m[k+1]], Span{base + m[k], base + m[k+1]})
		}
	}
}

// noMachine: a compiler names the system that it was built for, a variable or a
// path only looks like a fact.
var noMachine = lazyre.New(`(?i)\b(?:gcc|clang)[^\n]*$|[/\\~]$`)

// addFact records a fact about the machine once; people repeat them.
func (p *parser) addFact(name, value string, s Span) {
	if len(p.r.Platform) >= maxFacts {
		return
	}
	for _, f := range p.r.Platform {
		if f.Name == name && strings.EqualFold(f.Value, value) {
			return
		}
	}
	p.r.Platform = append(p.r.Platform, Fact{Name: name, Value: value, Span: s})
}

// readTracebacks asks the recogniser for the failures in each block that may
// hold one, and in the prose.
func (p *parser) readTracebacks() {
	for i := range p.blks {
		switch p.r.Blocks[i].Kind {
		case BlockTraceback, BlockOutput, BlockREPL, BlockOther, BlockShell:
			b := &p.blks[i]
			text := b.text
			from := 0
			if len(text) > maxBlockSearch {
				// The failure stands at the end of a long log.
				from = len(text) - maxBlockSearch
				p.note("a long log was searched for failures in its last 256 KiB only")
			}
			for _, s := range symptom.FromText(text[from:]) {
				p.addTraceback(s, b.source(from+s.Start, from+s.End), i)
			}
		}
	}
	for _, s := range symptom.FromText(string(p.prose)) {
		p.addTraceback(s, Span{s.Start, s.End}, -1)
	}
}

// addTraceback records a failure with its place in the report.
func (p *parser) addTraceback(s symptom.Symptom, at Span, block int) {
	if len(p.r.Tracebacks) >= maxTracebacks || at.Start < 0 || at.End > len(p.text) || at.End < at.Start {
		return
	}
	s.Start, s.End = at.Start, at.End
	p.r.Tracebacks = append(p.r.Tracebacks, Traceback{Symptom: s, Span: at, Block: block})
}
