package symptom

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestMessages: the stable part of a message, across machines and releases.
func TestMessages(t *testing.T) {
	for _, c := range []struct {
		expected, observed string
		want               bool
	}{
		{"'int' object is not iterable", "'int' object is not iterable", true},
		{"'int' object is not iterable", "'float' object is not iterable", false},
		{"Descriptors cannot not be created directly.\nIf this", "Descriptors cannot be created directly.\nIf this call", true},
		{"mat1 and mat2 shapes cannot be multiplied (1x3 and 4x5)", "mat1 and mat2 shapes cannot be multiplied (2x7 and 4x5)", true},
		{"bad shape (3, 8)", "bad shape (5, 8, 2)", true},
		{"Input tensor shape: torch.Size([1, 48]).", "Input tensor shape: torch.Size([1, 64, 2]).", true},
		{"<A object at 0x7f01> has no x", "<A object at 0x55ff> has no x", true},
		{"no file '/home/u/a/b.txt'", "no file '/box/c/d.txt'", true},
		{"no file 'C:\\Users\\me\\b.txt'", "no file '/box/c/d.txt'", true},
		{"keras.src.ops.math.Foo got it", "keras.ops.math.Foo got it", true},
		{"unsupported type <class 'numpy.float64'>", "unsupported type <class 'float64'>", true},
		{"value np.float64(1.5) is bad", "value 2.5 is bad", true},
		{"max() iterable argument is empty", "max() arg is an empty sequence", true},
		{"__init__() got an unexpected keyword argument 'x'", "Foo.__init__() got an unexpected keyword argument 'x'", true},
		{"name 'foo' is not defined", "name 'foo' is not defined. Did you mean: 'for'?", true},
		{"“a” is not “b”", "'a' is not \"b\"", true},
		{"Shapes (None, 1) and (None, 10) are incompatible", "Shapes (32, 1) and (32, 10) are incompatible", true},
		{"Expected all tensors to be on the same device. Found cpu", "Expected all tensors to be on the same device. But found two", true},
		{"Bad. Because of a", "Bad. Because of b", false},
		{"object of type ... has no len()", "object of type 'NoneType' has no len()", true},
		{"... something entirely different ...", "object of type 'NoneType' has no len()", false},
		{"high is out of bounds", "ValueError in seed: high is out of bounds for int32", true},
		{"is out", "this is out", false}, // too short to be a fragment
		{"", "anything", true},
		{"anything at all", "", false},
	} {
		if got, why := sameMessage(c.expected, c.observed); got != c.want {
			t.Errorf("%q against %q: %v %s (%q, %q)", c.expected, c.observed, got, why, Normalise(firstLine(c.expected)), Normalise(firstLine(c.observed)))
		}
	}
}

// one reads the only symptom of a text.
func one(t testing.TB, text string) Symptom {
	t.Helper()
	found := FromText(text)
	if len(found) != 1 {
		t.Fatalf("%d symptoms in %q", len(found), text)
	}
	return found[0]
}

// observed builds what a run shows: class, message and frames from outermost.
func observed(class, message string, frames ...Frame) Symptom {
	return Symptom{Kind: Exception, Exception: class, Bases: []string{class, "Exception", "BaseException", "object"}, Message: message, Frames: frames}
}

var (
	scriptCall  = Frame{File: "reproduce.py", Where: "script", Function: "<module>", Source: "ops.logsumexp(inp, axis=1)"}
	scriptRaise = Frame{File: "reproduce.py", Where: "script", Function: "<module>", Source: `raise TypeError("'int' object is not iterable")`}
	mathFrame   = Frame{File: "keras/src/ops/math.py", Package: "keras", Where: "library", Function: "logsumexp", Source: "return Logsumexp(axis, keepdims).symbolic_call(x)"}
	movedFrame  = Frame{File: "keras/src/math.py", Package: "keras", Where: "library", Function: "logsumexp"}
	otherFrame  = Frame{File: "keras/src/ops/core.py", Package: "keras", Where: "library", Function: "scan", Source: "for x in axis:"}
	stdlibFrame = Frame{File: "json/decoder.py", Where: "stdlib", Function: "decode", Source: "raise JSONDecodeError()"}
)

const kerasLog = `Traceback (most recent call last):
  File "<stdin>", line 1, in <module>
  File ".../keras/src/ops/math.py", in logsumexp
    return Logsumexp(axis, keepdims).symbolic_call(x)
  ...
TypeError: 'int' object is not iterable
`

// TestCompareCrash: the failure must be the reported one, not merely of its
// class.
func TestCompareCrash(t *testing.T) {
	expected := one(t, kerasLog)
	bare := Symptom{Kind: Exception, Exception: "TypeError", Message: "'int' object is not iterable"}
	same := "'int' object is not iterable"
	ownLine := one(t, "Traceback (most recent call last):\n  File \"t.py\", line 3, in <module>\n    ops.logsumexp(inp,  axis=1)\nTypeError: 'int' object is not iterable\n")
	quoted := Symptom{Kind: Exception, Exception: "TypeError", Message: same, Frames: []Frame{{Where: "unknown", Source: "for x in axis:"}}}
	homePath := one(t, "Traceback (most recent call last):\n  File \"/home/u/t.py\", line 3, in <module>\n    f(1)\nTypeError: 'int' object is not iterable\n")
	for _, c := range []struct {
		name     string
		e, o     Symptom
		relation Relation
	}{
		{"the same", expected, observed("TypeError", same, scriptCall, mathFrame), Same},
		{"the same, raised deeper", expected, observed("TypeError", same, scriptCall, mathFrame, otherFrame), Same},
		{"module path moved", expected, observed("TypeError", same, scriptCall, movedFrame), Same},
		{"standard library innermost", expected, observed("TypeError", same, scriptCall, mathFrame, stdlibFrame), Same},
		{"elsewhere in the library", expected, observed("TypeError", same, scriptCall, otherFrame), Elsewhere},
		{"in the script's call", expected, observed("TypeError", same, scriptCall), Elsewhere},
		{"raised by the script", expected, observed("TypeError", same, scriptRaise), Elsewhere},
		{"raised by the script in a callback", expected, observed("TypeError", same, scriptCall, mathFrame, scriptRaise), Elsewhere},
		{"another message", expected, observed("TypeError", "missing argument", scriptCall, mathFrame), Elsewhere},
		{"another class", expected, observed("ValueError", same, scriptCall, mathFrame), Collision},
		{"nothing", expected, Symptom{}, None},
		{"a warning", expected, Symptom{Kind: Warning, Exception: "UserWarning"}, Collision},
		{"a signal", expected, Symptom{Kind: Signal, Signal: "SIGABRT"}, Collision},
		{"no frame was shown, library raises", bare, observed("TypeError", same, scriptCall, otherFrame), Same},
		{"no frame was shown, native code raises", bare, observed("TypeError", same, scriptCall), Same},
		{"no frame was shown, the script raises", bare, observed("TypeError", same, scriptRaise), Elsewhere},
		{"no frame at all", bare, observed("TypeError", same), Elsewhere},
		{"the reporter's own line, native code", ownLine, observed("TypeError", same, scriptCall), Same},
		{"another line of the script", ownLine, observed("TypeError", same, Frame{File: "reproduce.py", Where: "script", Source: "other(1)"}), Elsewhere},
		{"a quoted line identifies a frame", quoted, observed("TypeError", same, scriptCall, otherFrame), Same},
		{"a quoted line of another place", quoted, observed("TypeError", same, scriptCall, mathFrame), Elsewhere},
		{"the reporter's path is no library", homePath, observed("TypeError", same, scriptCall, otherFrame), Same},
		{"import or not cannot be seen", Symptom{Kind: ImportError, Exception: "TypeError", Message: same}, observed("TypeError", same, scriptCall, mathFrame), Same},
	} {
		m := Compare(c.e, c.o)
		if m.Relation != c.relation {
			t.Errorf("%s: %s, want %s: %+v", c.name, m.Relation, c.relation, m.Fields)
		}
		if m.Relation != None && len(m.Fields) == 0 {
			t.Errorf("%s: no fields", c.name)
		}
	}
}

// TestCompareClasses: names of one class, and bases that say something.
func TestCompareClasses(t *testing.T) {
	o := observed("tensorflow.python.framework.errors_impl.InvalidArgumentError", "rank must be 4", scriptCall, mathFrame)
	o.Bases = []string{"tensorflow.python.framework.errors_impl.InvalidArgumentError", "tensorflow.python.framework.errors_impl.OpError", "Exception"}
	for _, c := range []struct {
		class, message string
		want           Relation
	}{
		{"InvalidArgumentError", "rank must be 4", Same},
		{"tf.errors.InvalidArgumentError", "rank must be 4", Same},
		{"OpError", "rank must be 4", Same},
		{"OpError", "", Collision}, // a base without a message says too little
		{"Exception", "rank must be 4", Collision},
		{"ValueError", "rank must be 4", Collision},
		{"", "rank must be 4", Same},
		{"", "", Collision},
	} {
		if m := Compare(Symptom{Kind: Exception, Exception: c.class, Message: c.message}, o); m.Relation != c.want {
			t.Errorf("%q %q: %s, want %s", c.class, c.message, m.Relation, c.want)
		}
	}
	e := Symptom{Kind: Exception, Exception: "IOError", Message: "no such thing"}
	if m := Compare(e, observed("OSError", "no such thing", scriptCall, mathFrame)); m.Relation != Same {
		t.Errorf("IOError is OSError: %s", m.Relation)
	}
}

func TestCompareWarning(t *testing.T) {
	e := one(t, ".../sklearn/base.py:420: UserWarning: X does not have valid feature names, but IsolationForest was fitted\n  warnings.warn(\n")
	frame := Frame{File: "sklearn/base.py", Package: "sklearn", Where: "library"}
	for _, c := range []struct {
		name, category, message string
		frame                   Frame
		want                    Relation
	}{
		{"the same", "UserWarning", "X does not have valid feature names, but IsolationForest was fitted", frame, Same},
		{"another message", "UserWarning", "deprecated", frame, Elsewhere},
		{"another file", "UserWarning", "X does not have valid feature names, but IsolationForest was fitted", mathFrame, Elsewhere},
		{"another category", "FutureWarning", "X does not have valid feature names, but IsolationForest was fitted", frame, Collision},
	} {
		o := Symptom{Kind: Warning, Exception: c.category, Message: c.message, Frames: []Frame{c.frame}}
		if m := Compare(e, o); m.Relation != c.want {
			t.Errorf("%s: %s, want %s", c.name, m.Relation, c.want)
		}
	}
}

func TestCompareSignal(t *testing.T) {
	e := Symptom{Kind: Signal, Signal: "SIGABRT", FatalLine: "Check failed: d < dims() (3 vs. 3)"}
	for _, c := range []struct {
		signal, line string
		want         Relation
	}{
		{"SIGABRT", "Check failed: d < dims() (4 vs. 4)", Same},
		{"SIGABRT", "Check failed: other", Elsewhere},
		{"SIGABRT", "", Elsewhere},
		{"SIGSEGV", "Check failed: d < dims() (3 vs. 3)", Collision},
	} {
		if m := Compare(e, Symptom{Kind: Signal, Signal: c.signal, FatalLine: c.line}); m.Relation != c.want {
			t.Errorf("%s %q: %s, want %s", c.signal, c.line, m.Relation, c.want)
		}
	}
	for line, want := range map[string]Relation{
		"free(): invalid next size (fast)":         Same,
		"malloc(): unaligned tcache chunk":         Same,
		"*** stack smashing detected ***: in main": Elsewhere,
		"Check failed: d < dims() (3 vs. 3)":       Elsewhere,
	} {
		damaged := Symptom{Kind: Signal, Signal: "SIGABRT", FatalLine: "double free or corruption (out)"}
		if m := Compare(damaged, Symptom{Kind: Signal, Signal: "SIGABRT", FatalLine: line}); m.Relation != want {
			t.Errorf("a damaged heap and %q: %s, want %s", line, m.Relation, want)
		}
	}
	if m := Compare(Symptom{Kind: Signal}, Symptom{Kind: Signal, Signal: "SIGSEGV"}); m.Relation != Same {
		t.Errorf("no signal was named: %s", m.Relation)
	}
}

// TestNormaliseSettles: normalising twice changes nothing more, and a message
// is always the same as itself.
func TestNormaliseSettles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"shape", "(3, 4)", "0x7f12", "/a/b/c.py", "'x'", "np.float64(1.5)", "cannot not", "12.5e-3", "torch.Size([1])", "foo.bar.Baz", "...", ". ", "`y`"}), 0, 8).Draw(t, "words")
		s := strings.Join(words, " ")
		if a, b := Normalise(s), Normalise(Normalise(s)); a != b {
			t.Fatalf("%q becomes %q, then %q", s, a, b)
		}
		if ok, _ := sameMessage(s, s); !ok && Normalise(firstLine(s)) != "" && !strings.Contains(s, "...") {
			t.Fatalf("%q is not itself", s)
		}
	})
}

// TestComparedWithItself: whatever is read from a log of a library's failure
// is the same as itself, and what is same one way has a reason each way.
func TestComparedWithItself(t *testing.T) {
	for _, text := range []string{kerasLog, "F a/b.cc:3] Check failed: x\nAborted (core dumped)\n", "/v/site-packages/a/b.py:3: UserWarning: take care of it\n"} {
		s := one(t, text)
		if m := Compare(s, s); m.Relation != Same {
			t.Errorf("%q: %+v", text, m)
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add(kerasLog, kerasLog)
	f.Add("Aborted (core dumped)", "ValueError: x")
	f.Add("x.py:3: UserWarning: a", "File \"a.py\", line 3, in f\nKeyError: 'b'")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, x := range FromText(a) {
			for _, y := range FromText(b) {
				xy, yx := Compare(x, y), Compare(y, x)
				if xy.Relation == None || yx.Relation == None {
					t.Fatalf("two failures compare as none: %+v %+v", x, y)
				}
				// The kind is compared alike in both directions.
				if xy.Fields[0].Equal != yx.Fields[0].Equal {
					t.Fatalf("kinds %s and %s", x.Kind, y.Kind)
				}
			}
		}
	})
}

func FuzzFromText(f *testing.F) {
	for _, s := range []string{kerasLog, "E   TypeError: x\n\na.py:3: TypeError", "KeyError   Traceback (most recent call last)\n----> 1 x\n\nKeyError: 'a'",
		"Fatal Python error: Aborted\n\nThread 0x1 (most recent call first):\n  File \"a\", line 3 in f", "  | ValueError: 1", "[rank0]: Traceback (most recent call last):", "ValueError: in user code:\n\n    x.py:3 f  *\n", "\x1b[0;31mx", ">>> 1/0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkSpans(t, text, FromText(text))
	})
}
