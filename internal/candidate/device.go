package candidate

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// replacement is one change of a span of the script.
type replacement struct {
	span  pysyntax.Span
	after string
	line  int
}

// apply makes the changes and records each as an edit. Overlapping ones are
// left out, the first wins.
func (c *Candidate) apply(changes []replacement, kind, why string, risky riskiness) {
	slices.SortFunc(changes, func(a, b replacement) int { return a.span.Start - b.span.Start })
	var out strings.Builder
	at := 0
	for _, ch := range changes {
		before := c.Script[ch.span.Start:ch.span.End]
		if ch.span.Start < at || before == ch.after {
			continue
		}
		out.WriteString(c.Script[at:ch.span.Start])
		out.WriteString(ch.after)
		at = ch.span.End
		c.edit(Edit{Kind: kind, Why: why, Line: ch.line, Before: before, After: ch.after, Risky: bool(risky)})
	}
	out.WriteString(c.Script[at:])
	c.Script = out.String()
}

// riskiness of an edit; see Edit.Risky.
type riskiness bool

const (
	harmless riskiness = false
	risky    riskiness = true
)

var (
	torchDevice = lazyre.New(`^(cuda|mps|xpu|hip)(:(\d+|\{.*\}))?$`)
	tfDevice    = lazyre.New(`^(/?(?:job:\w+/.*)?(?:device:)?)(GPU|gpu)(:\d+)$`)
	deviceIndex = lazyre.New(`\bdevice(\s*=\s*)\d+`)
	gpuCount    = lazyre.New(`\bgpus(\s*=\s*)(-?\d+|\[[\d, ]*\])`)
)

// idleOnCPU are calls that only wait for or clean up an accelerator, with what
// they give without one.
var idleOnCPU = map[string]string{
	"torch.cuda.synchronize": "None", "torch.cuda.empty_cache": "None",
	"torch.cuda.reset_peak_memory_stats": "None", "torch.mps.synchronize": "None",
	"torch.mps.empty_cache": "None", "torch.cuda.set_device": "None",
}

// lowerDevice asks for the CPU wherever the script asks for an accelerator.
// Each change is risky: the symptom may belong to the device.
func (c *Candidate) lowerDevice() {
	f := c.parse(c.Script)
	var changes []replacement
	for _, s := range f.Strings {
		if after, ok := cpuString(s); ok && !chooses(lineOf(c.Script, s.Span.Start)) {
			quoted := c.Script[s.Span.Start:s.Span.End]
			quote := quoted[len(quoted)-1:]
			changes = append(changes, replacement{s.Span, quote + after + quote, s.Line})
		}
	}
	for _, call := range f.Calls {
		changes = append(changes, c.cpuCall(call)...)
	}
	c.apply(changes, "lower_device", "no accelerator here: the CPU is tried instead", risky)
}

// chooses: the line already falls back to the CPU by itself.
func chooses(line string) bool {
	return strings.Contains(line, "is_available()") && strings.Contains(line, " else ")
}

func lineOf(text string, at int) string {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[begin:], "\n")
	return line
}

func cpuString(s pysyntax.String) (string, bool) {
	switch {
	case s.Bytes:
		return "", false
	case torchDevice.MatchString(s.Value), s.Value == "gpu":
		return "cpu", true
	case s.Value == "GPU":
		return "CPU", true
	case s.Value == "gpu_hist": // xgboost's tree method
		return "hist", true
	}
	if m := tfDevice.FindStringSubmatch(s.Value); m != nil {
		return m[1] + "CPU:0", true
	}
	return "", false
}

func (c *Candidate) cpuCall(call pysyntax.Call) []replacement {
	text := c.Script[call.Span.Start:call.Span.End]
	if after, ok := idleOnCPU[call.Full]; ok {
		return []replacement{{call.Span, after, call.Line}}
	}
	if call.Method == "cuda" {
		if i := strings.LastIndex(text, ".cuda"); i >= 0 {
			span := pysyntax.Span{Start: call.Span.Start + i, End: call.Span.End}
			return []replacement{{span, ".cpu()", call.Line}}
		}
	}
	var changes []replacement
	if _, ok := call.Keywords["device"]; ok {
		changes = append(changes, inside(call, text, deviceIndex, `device${1}"cpu"`)...)
	}
	if _, ok := call.Keywords["gpus"]; ok {
		changes = append(changes, inside(call, text, gpuCount, "gpus${1}0")...)
	}
	return changes
}

// inside replaces the first match of a pattern in a call.
func inside(call pysyntax.Call, text string, pattern *lazyre.Regexp, with string) []replacement {
	at := pattern.FindStringSubmatchIndex(text)
	if at == nil {
		return nil
	}
	after := string(pattern.ExpandString(nil, with, text, at))
	span := pysyntax.Span{Start: call.Span.Start + at[0], End: call.Span.Start + at[1]}
	return []replacement{{span, after, call.Line}}
}

// windows are calls that open a window or wait for a key, with what they give
// on a machine without a screen.
var windows = map[string]string{
	"cv2.imshow": "None", "cv2.namedWindow": "None", "cv2.destroyAllWindows": "None",
	"cv2.destroyWindow": "None", "cv2.waitKey": "-1", "cv2.waitKeyEx": "-1",
}

// silenceWindows lets plots be drawn to nowhere. plt.show itself stays: with the
// Agg backend it returns at once.
func (c *Candidate) silenceWindows() {
	f := c.parse(c.Script)
	var changes []replacement
	for _, call := range f.Calls {
		if after, ok := windows[call.Full]; ok {
			changes = append(changes, replacement{call.Span, after, call.Line})
		}
	}
	c.apply(changes, "show", "there is no screen to open a window on", harmless)
	for _, module := range f.TopModules() {
		if module == "matplotlib" || module == "seaborn" || module == "pylab" {
			c.setEnv("MPLBACKEND", "Agg")
			c.edit(Edit{Kind: "show", Why: "plots are drawn without a screen", After: "MPLBACKEND=Agg"})
			return
		}
	}
}

func (c *Candidate) setEnv(name, value string) {
	if c.Env == nil {
		c.Env = map[string]string{}
	}
	c.Env[name] = value
}
