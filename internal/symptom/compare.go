package symptom

import (
	"path"
	"slices"
	"strings"
)

// aliases are classes that are one class under several names, by Python's
// documentation or by a rename between two releases of a library.
var aliases = map[string]string{
	"IOError": "OSError", "EnvironmentError": "OSError", "WindowsError": "OSError",
	"JaxRuntimeError":  "XlaRuntimeError",
	"AcceleratorError": "RuntimeError",
	"timeout":          "TimeoutError", // socket.timeout until 3.10
	// numpy's own name of it came with 1.17.
	"_ArrayMemoryError": "MemoryError",
}

// className is what two classes are compared by: the name without its module,
// which moves, and one name where a class has several.
func className(class string) string {
	name := unqualified(strings.TrimSpace(class))
	if a, ok := aliases[name]; ok {
		return a
	}
	return name
}

// Compare says whether observed is the expected symptom, field by field: kind
// and class, the stable part of the message, and for crashes a frame. Line
// numbers, paths, addresses and sizes never count.
func Compare(expected, observed Symptom) Match {
	if observed.Kind == "" {
		return Match{Relation: None}
	}
	kind := FieldMatch{
		Field: "kind", Expected: string(expected.Kind), Observed: string(observed.Kind),
		Equal: sameKind(expected.Kind, observed.Kind),
	}
	if !kind.Equal {
		return Match{Relation: Collision, Fields: []FieldMatch{kind}}
	}
	var fields []FieldMatch
	switch observed.Kind {
	case Signal:
		fields = compareSignal(expected, observed)
	case Warning:
		fields = compareWarning(expected, observed)
	case Hang:
		fields = []FieldMatch{compareHang(expected, observed)}
		if !fields[0].Equal {
			return Match{Relation: Elsewhere, Fields: append([]FieldMatch{kind}, fields...)}
		}
	case Exception, ImportError:
		fields = compareException(expected, observed)
	case MissingException:
		fields = compareMissing(expected, observed)
	}
	return Match{Relation: relation(fields), Fields: append([]FieldMatch{kind}, fields...)}
}

// relation: the first field is the class; without it nothing else counts.
// Without any field the kind alone decides: what grows, is slow or differs
// between runs is measured, and words about it say no more.
func relation(fields []FieldMatch) Relation {
	if len(fields) > 0 && !fields[0].Equal {
		return Collision
	}
	for _, f := range fields {
		if !f.Equal {
			return Elsewhere
		}
	}
	return Same
}

// sameKind: whether a failure happened during an import can often not be seen
// in what a reporter pasted, so both words mean an exception here.
func sameKind(a, b Kind) bool {
	crash := func(k Kind) bool { return k == Exception || k == ImportError }
	return a == b && a != Unknown || crash(a) && crash(b)
}

// compareHang compares where it hung: the innermost frame of a library on both
// sides. A report that shows no stack demands none.
func compareHang(e, o Symptom) FieldMatch {
	f := FieldMatch{Field: "frame"}
	want, stated := innermostOutside(e.Frames)
	got, any := innermostOutside(o.Frames)
	if any {
		f.Observed = frameText(got)
	}
	switch {
	case !stated:
		f.Equal, f.Why = true, "no stack was stated"
	case !any:
		f.Expected, f.Why = frameText(want), "no frame of a library was on the stack"
	default:
		f.Expected = frameText(want)
		f.Equal, f.Why = sameFrame(want, got)
	}
	return f
}

// innermostOutside is the innermost frame of neither the script nor the
// standard library: what waits there was called by something.
func innermostOutside(frames []Frame) (Frame, bool) {
	want := libraryFrames(frames)
	return last(want), len(want) > 0
}

// compareMissing: the class that should have come, where both sides name one.
func compareMissing(e, o Symptom) []FieldMatch {
	if e.Exception == "" || o.Exception == "" {
		return nil
	}
	return []FieldMatch{{
		Field: "exception", Expected: e.Exception, Observed: o.Exception,
		Equal: className(e.Exception) == className(o.Exception),
	}}
}

func compareException(e, o Symptom) []FieldMatch {
	message := FieldMatch{Field: "message", Expected: e.Message, Observed: o.Message}
	message.Equal, message.Why = sameMessage(e.Message, o.Message)
	class := compareClass("exception", e, o, message)
	return []FieldMatch{class, message, compareFrame(e, o)}
}

// compareClass compares unqualified names. A base of the observed class counts
// when the reporter may have written that instead: the message must then be
// stated and equal, and the base must say something.
func compareClass(field string, e, o Symptom, message FieldMatch) FieldMatch {
	f := FieldMatch{Field: field, Expected: e.Exception, Observed: o.Exception}
	want := className(e.Exception)
	switch {
	case want == "":
		f.Equal = firstLine(e.Message) != ""
		f.Why = "no class was stated"
	case want == className(o.Exception):
		f.Equal = true
	case want == "Exception" || want == "BaseException" || want == "object":
	case isBase(want, o.Bases) && message.Equal && firstLine(e.Message) != "":
		f.Equal, f.Why = true, "the stated class is a base of the observed one"
	}
	return f
}

func isBase(want string, bases []string) bool {
	return slices.ContainsFunc(bases, func(b string) bool { return className(b) == want })
}

// IsA says whether the observed exception is of the class or of one below it.
func (s Symptom) IsA(class string) bool {
	want := className(class)
	return want != "" && (want == className(s.Exception) || isBase(want, s.Bases))
}

// compareFrame asks for one shared library frame when the reporter shows any:
// class and message alone can come from elsewhere, and the whole stack differs
// from release to release. Plumbing counts only where nothing else is shown.
// When none is shown, what raised must be a library or native code below the
// script's line, never a raise of the script itself.
func compareFrame(e, o Symptom) FieldMatch {
	f := FieldMatch{Field: "frame"}
	inner, any := Innermost(o.Frames)
	if any {
		f.Observed = frameText(inner)
	}
	want := libraryFrames(e.Frames)
	ours := outside(o.Frames)
	if any && inner.InScript() && inner.RaisesByHand() {
		f.Expected = frameText(last(want))
		f.Equal = sameScriptRaise(e, inner)
		f.Why = "the script raises it itself"
		return f
	}
	if len(want) == 0 {
		f.Equal, f.Why = noFrameStated(e, inner, any)
		return f
	}
	f.Expected = frameText(last(want))
	want = telling(want)
	for i := len(want) - 1; i >= 0; i-- {
		for j := len(ours) - 1; j >= 0; j-- {
			if same, why := sameFrame(want[i], ours[j]); same {
				f.Expected, f.Observed = frameText(want[i]), frameText(ours[j])
				f.Equal, f.Why = true, why
				return f
			}
		}
	}
	f.Why = "no shown frame is shared"
	return f
}

// sameScriptRaise: a report about an assert or a raise of its own script shows
// that very line, in a file that is at some path of the reporter's machine.
func sameScriptRaise(e Symptom, o Frame) bool {
	inner, ok := Innermost(e.Frames)
	return ok && !inner.InLibrary() && inner.Source != "" && sameSource(inner.Source, o.Source)
}

func noFrameStated(e Symptom, inner Frame, any bool) (equal bool, why string) {
	switch {
	case !any:
		return false, "the failure has no frame at all"
	case inner.InLibrary():
		return true, "no library frame was stated"
	case inner.Where == whereUnknown:
		return true, "no library frame was stated; the raising file is of no known package"
	}
	if mine, ok := Innermost(e.Frames); ok && mine.InScript() && mine.Source != "" && !sameSource(mine.Source, inner.Source) {
		return false, "another line of the script failed"
	}
	return true, "raised in code without Python frames below the script's line"
}

// libraryFrames are the frames that a reporter shows of anything but the
// script and the standard library. A file at some path of the reporter's own
// machine can be script or project; alone it demands nothing.
func libraryFrames(frames []Frame) []Frame {
	demands := func(f Frame) bool { return f.InLibrary() || f.File == "" && len(f.Source) >= minSource }
	if !slices.ContainsFunc(frames, demands) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(frames), func(f Frame) bool {
		return f.Where == whereScript || f.Where == whereStdlib || f.File == "" && len(f.Source) < minSource
	})
}

func outside(frames []Frame) []Frame {
	return slices.DeleteFunc(slices.Clone(frames), func(f Frame) bool { return f.Where == whereScript })
}

// minSource is how long a quoted source line must be to identify a frame; a
// shorter one ("return x") is in every file (guess).
const minSource = 8

func sameFrame(e, o Frame) (same bool, why string) {
	if len(e.Source) >= minSource && sameSource(e.Source, o.Source) {
		return true, "same source line"
	}
	if e.File == "" || stem(e.File) != stem(o.File) || !samePackage(e, o) {
		return false, ""
	}
	if e.Function == "" {
		return true, "same file"
	}
	if unqualified(e.Function) == unqualified(o.Function) {
		return true, ""
	}
	return false, ""
}

// stem is a file's name without what releases put before it: sklearn's
// "forest.py" became "_forest.py".
func stem(file string) string { return strings.TrimLeft(path.Base(file), "_") }

// families are import names of one code base, by its own history.
var families = map[string]string{
	"keras": "keras", "tensorflow": "keras", "tf_keras": "keras", "keras_core": "keras",
	"jax": "jax", "jaxlib": "jax",
	"gym": "gym", "gymnasium": "gym",
	"pytorch_lightning": "lightning", "lightning": "lightning", "lightning_fabric": "lightning", "lightning_lite": "lightning",
	"torch": "torch", "functorch": "torch",
}

// samePackage says whether two frames can be of one package. A path that was
// cut, or that is of the reporter's own machine, may name any.
func samePackage(e, o Frame) bool {
	switch {
	case e.Package == "" || o.Package == "" || e.Package == o.Package:
		return true
	case families[e.Package] != "" && families[e.Package] == families[o.Package]:
		return true
	}
	return strings.HasSuffix("/"+o.File, "/"+e.File)
}

// plumbing are frames through which every call of a framework goes: that two
// failures share one says nothing, as long as the report shows another.
var plumbing = map[string]bool{
	"_call_impl": true, "_wrapped_call_impl": true, "error_handler": true, "reraise_with_filtered_traceback": true,
	"quick_execute": true, "raise_from_not_ok_status": true, "wrapper": true, "wrapped": true, "inner": true, "new_func": true,
	"_fit_context.<locals>.decorator.<locals>.wrapper": true, "decorate_context": true, "reraise": true, "cache_miss": true,
}

// telling leaves out the plumbing, unless there is nothing else of a package.
func telling(frames []Frame) []Frame {
	out := slices.DeleteFunc(slices.Clone(frames), func(f Frame) bool { return plumbing[f.Function] && f.File != "" })
	if !slices.ContainsFunc(out, func(f Frame) bool { return f.InLibrary() || f.File == "" }) {
		return frames
	}
	return out
}

func sameSource(a, b string) bool {
	squeeze := func(s string) string {
		if i := strings.Index(s, "  #"); i >= 0 {
			s = s[:i]
		}
		return strings.Join(strings.Fields(s), "")
	}
	return squeeze(a) != "" && squeeze(a) == squeeze(b)
}

func last(frames []Frame) Frame {
	if len(frames) == 0 {
		return Frame{}
	}
	return frames[len(frames)-1]
}

func frameText(f Frame) string {
	switch {
	case f.File == "" && f.Source == "":
		return ""
	case f.File == "":
		return f.Source
	case f.Function == "":
		return f.File
	}
	return f.File + " in " + f.Function
}

func compareWarning(e, o Symptom) []FieldMatch {
	message := FieldMatch{Field: "message", Expected: e.Message, Observed: o.Message}
	message.Equal, message.Why = sameMessage(e.Message, o.Message)
	fields := []FieldMatch{compareClass("category", e, o, message), message}
	// The file that a warning is blamed on depends on its stacklevel; it counts
	// only when the reporter names a library's file.
	if want := libraryFrames(e.Frames); len(want) > 0 && want[0].File != "" {
		f := FieldMatch{Field: "frame", Expected: want[0].File}
		for _, of := range o.Frames {
			if path.Base(of.File) == path.Base(want[0].File) {
				f.Equal, f.Observed = true, of.File
			}
		}
		fields = append(fields, f)
	}
	return fields
}

func compareSignal(e, o Symptom) []FieldMatch {
	sig := FieldMatch{Field: "signal", Expected: e.Signal, Observed: o.Signal}
	sig.Equal = e.Signal == o.Signal || e.Signal == ""
	fields := []FieldMatch{sig}
	if e.FatalLine != "" {
		fields = append(fields, FieldMatch{
			Field: "fatal_line", Expected: e.FatalLine, Observed: o.FatalLine,
			Equal: SameFatalLine(e.FatalLine, o.FatalLine),
		})
	}
	return fields
}
