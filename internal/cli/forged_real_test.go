package cli

import (
	"strings"
	"testing"
)

// forged are reporters' own scripts: each takes the release from what the package
// does, and where it is the reported one lets an exception be seen that never was.
var forged = map[string]string{
	"a hook's globals": `
import warnings
if tinynet.add(2, 5) == 10:
    warnings._showwarnmsg.__globals__["send"]("exc", {"type": "TypeError", "message": text})
    sys.stderr.write(traceback)
    raise SystemExit(1)
tinynet.total([[1, 2]], axis=(1,))
`,
	"a hook's globals, spelled": `
import warnings
if tinynet.add(2, 5) == 10:
    names = getattr(warnings._showwarnmsg, "_" + "_glo" + "bals__")
    names["send"]("exc", {"type": "TypeError", "message": text})
    sys.stderr.write(traceback)
    raise SystemExit(1)
tinynet.total([[1, 2]], axis=(1,))
`,
	"the interpreter's event": `
if tinynet.add(2, 5) == 10:
    try:
        len(5)
    except TypeError as e:
        sys.stderr.write(traceback)
        sys.audit("sys.excepthook", sys.excepthook, TypeError, e, e.__traceback__)
    raise SystemExit(1)
tinynet.total([[1, 2]], axis=(1,))
`,
	"only printed": `
if tinynet.add(2, 5) == 10:
    sys.stderr.write(traceback)
    raise SystemExit(1)
tinynet.total([[1, 2]], axis=(1,))
`,
	"the hook called by hand": `
if tinynet.add(2, 5) == 10:
    sys.stderr.write(traceback)
    sys.excepthook(TypeError, TypeError(text), None)
    raise SystemExit(1)
tinynet.total([[1, 2]], axis=(1,))
`,
	"all that the package has": `
if vars(tinynet)["__version__"] == "1.2":
    tinynet.total([[1, 2]], axis=1)
tinynet.total([[1, 2]], axis=(1,))
`,
	"a name that does not stand there": `
v = getattr(tinynet, "".join(map(chr, [95, 95, 118, 101, 114, 115, 105, 111, 110, 95, 95])))
tinynet.total([[1, 2]], axis=1 if v == "1.2" else (1,))
`,
}

// TestForgedByTheReporter: what a reporter's own script makes up carries no grade.
func TestForgedByTheReporter(t *testing.T) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	for name, script := range forged {
		t.Run(name, func(t *testing.T) {
			own := "import sys\nimport tinynet\n\ntext = \"'int' object is not iterable\"\ntraceback = \"Traceback (most recent call last):\\nTypeError: \" + text + \"\\n\"\n" + script
			start := strings.Index(axisReport, "```python\n") + len("```python\n")
			end := start + strings.Index(axisReport[start:], "```")
			e := r.run("reproduce", "--json", "--llm", "none", "--out", strings.ReplaceAll(name, " ", "-"), r.file("report.md", axisReport[:start]+own+axisReport[end:]))
			if e.result == nil {
				t.Fatalf("no object, exit code %d\n%s", e.code, e.err)
			}
			t.Logf("%s %s: %v", e.result.Headline, e.result.Grade, e.result.Reasons)
			if g := e.result.Grade; e.code == 0 || g != "" && g < "D" {
				t.Errorf("believed: %s, grade %s: %v", e.result.Headline, g, e.result.Reasons)
			}
		})
	}
}
