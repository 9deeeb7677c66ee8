package pysyntax

import (
	"regexp"
	"sort"
	"strings"
)

// StandIn is something that a script takes from outside and that can be made
// instead, because the script itself says what it has to look like.
type StandIn struct {
	Kind string // "file", "data" (a public data set), "weights"
	What string // the path or the name that is stood in for
	Line int
	Why  string
	// Changes are made in the script, Prologue is run before it: one line of
	// statements that leave nothing behind but names with an underscore and that
	// do not touch the state of any random generator.
	Changes  []Change
	Prologue string
}

// StandIns finds what can be stood in for: files of an evident shape, downloads
// of public weights where the architecture is known without them, and public
// data sets of a documented shape. Anything that would have to be guessed is
// left out. Values are random with a fixed seed, so a claim about values must
// not rest on them alone.
func StandIns(src string) []StandIn {
	p := Split(src)
	if len(p.File.SyntaxErrors) > 0 {
		return nil
	}
	s := &standIns{p: p, made: map[string]bool{}, own: map[string]bool{}}
	for _, d := range p.File.Defined {
		s.own[d.Name] = true
	}
	for _, c := range p.Calls {
		if s.own[c.Func] {
			continue
		}
		s.line = c.Line
		s.written(c)
		for _, try := range []func(CallPart) bool{s.image, s.array, s.table, s.pretrained, s.untrained, s.weightsFile, s.dataSet} {
			if try(c) {
				break
			}
		}
	}
	sort.SliceStable(s.found, func(i, j int) bool { return s.found[i].Line < s.found[j].Line })
	return s.found
}

// written remembers the paths that are handed to anything but a reader: the file
// may come from there.
func (s *standIns) written(c CallPart) {
	mode, _ := literalText(c.arg(1))
	if reading.MatchString(c.Full) && !strings.ContainsAny(mode, "wax+") {
		return
	}
	for _, a := range c.Args {
		if text, ok := literalText(a.Value); ok {
			s.made[text] = true
		}
	}
}

// standIns collects for one script.
type standIns struct {
	p     *Parts
	made  map[string]bool // paths that the script may write itself, or that are stood in for
	own   map[string]bool
	line  int
	found []StandIn
}

// reading are the calls that need their file to be there.
var reading = regexp.MustCompile(`(^|\.)(open|imread|load|loadtxt|genfromtxt|read_csv|read_table|read_image|decode_image|load_img|load_image|from_pretrained|load_weights)$`)

func (s *standIns) add(kind, what, why string, prologue string, changes ...Change) bool {
	for i := range changes {
		changes[i].Kind = "stand_in_" + kind
		if kind == "data" {
			changes[i].Kind = "stand_in_file"
		}
	}
	s.found = append(s.found, StandIn{Kind: kind, What: what, Line: s.line, Why: why, Prologue: prologue, Changes: changes})
	return true
}

// literalText is the value of a plain string literal without escapes.
func literalText(expr string) (string, bool) {
	if len(expr) < 2 || strings.ContainsAny(expr, "\\\n") {
		return "", false
	}
	quote := expr[len(expr)-1:]
	begin := strings.Index(expr, quote)
	if quote != `"` && quote != `'` || begin > 1 || begin == len(expr)-1 || strings.Count(expr, quote) != 2 {
		return "", false
	}
	if begin == 1 && !strings.ContainsAny(expr[:1], "rRuU") {
		return "", false
	}
	return expr[begin+1 : len(expr)-1], true
}

// path is a file name that can be made below the working folder, and the
// changes that bring the script there: a path of the reporter's own machine
// becomes its last part.
func (s *standIns) path(c CallPart) (string, []Change, bool) {
	text, ok := literalText(c.arg(0))
	if !ok || text == "" || s.made[text] || strings.Contains(text, "://") || !plainPath.MatchString(text) {
		return "", nil, false
	}
	s.made[text] = true
	if !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "~") && !strings.Contains(text, "..") && !strings.Contains(text, ":") {
		return text, nil, true
	}
	name := text[strings.LastIndexAny(text, `/\`)+1:]
	if name == "" || name == ".." {
		return "", nil, false
	}
	var changes []Change
	for _, l := range s.p.Literals {
		if value, ok := literalText(l.Text); ok && value == text {
			changes = append(changes, Change{Span: l.Span, After: `"` + name + `"`, Line: l.Line})
		}
	}
	return name, changes, true
}

// plainPath needs no escaping in a literal.
var plainPath = regexp.MustCompile(`^[\p{L}\p{N}_ .:/~@+,()=-]+\.[A-Za-z]\w{1,5}$`)

// folder makes the folders of a path.
func folder(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i <= 0 {
		return ""
	}
	return `__import__("os").makedirs("` + path[:i] + `", exist_ok=True); `
}

var (
	// resizes: whatever the size of a picture, the script makes its own of it.
	resizes = regexp.MustCompile(`(?i)(resize|crop|thumbnail|\bfit\b|target_size|processor|feature_?extractor|preprocess|img_size|imgsz)`)
	opens   = regexp.MustCompile(`^(PIL\.Image\.open|cv2\.imread|imageio\.(v\d\.)?imread|matplotlib\.(pyplot|image)\.imread|skimage\.io\.imread|(tensorflow\.)?keras\.(utils|preprocessing\.image)\.load_img|torchvision\.io\.read_image|torchvision\.io\.decode_image)$`)
)

// image: a picture that is resized may have any size.
func (s *standIns) image(c CallPart) bool {
	full := c.Full
	if full == "Image.open" { // not imported yet: added by whoever imports it
		full = "PIL.Image.open"
	}
	if !opens.MatchString(full) || !s.resized(c) {
		return false
	}
	path, changes, ok := s.path(c)
	if !ok {
		return false
	}
	// 256 by 256 is above every usual crop (224) of the models that are loaded.
	prologue := folder(path) + `__import__("PIL.Image").Image.frombytes("RGB", (256, 256), bytes(__import__("random").Random(0).choices(range(256), k=196608))).save("` + path + `")`
	return s.add("file", path, "a picture with random pixels: the script resizes what it reads", prologue, changes...)
}

// resized: a call or argument after the read resizes.
func (s *standIns) resized(c CallPart) bool {
	for _, other := range s.p.Calls {
		if other.Span != c.Span && (resizes.MatchString(other.Method) || resizes.MatchString(other.Func)) {
			return true
		}
	}
	for _, a := range c.Args {
		if resizes.MatchString(a.Key) {
			return true
		}
	}
	return false
}

var (
	shapeText = `\(\s*\d+\s*,\s*(?:\d+\s*(?:,\s*\d+\s*)*,?)?\s*\)`
	// saidShape is a comment that gives a shape and, perhaps, a type.
	saidShape = regexp.MustCompile(`#.*?(` + shapeText + `|\[\s*\d+\s*,\s*\d+(?:\s*,\s*\d+)*\s*\])(?:\D{0,12}\b((?:float|int|uint)(?:8|16|32|64)|bool)\b)?`)
	shapeOnly = regexp.MustCompile(`^` + shapeText + `$`)
)

// array: a saved array whose shape a comment on the line, or an assert, gives.
func (s *standIns) array(c CallPart) bool {
	if c.Full != "numpy.load" && c.Full != "numpy.loadtxt" {
		return false
	}
	shape, dtype := s.shape(c)
	if shape == "" {
		return false
	}
	path, changes, ok := s.path(c)
	text := c.Full == "numpy.loadtxt"
	if !ok || !text && !strings.HasSuffix(path, ".npy") || text && strings.Count(shape, ",") > 2 {
		return false
	}
	value := `__import__("numpy").random.RandomState(0)`
	switch {
	case strings.Contains(dtype, "int"):
		value += `.randint(0, 2, ` + shape + `).astype("` + dtype + `")`
	case dtype == "bool":
		value += `.rand(*` + shape + `) > 0.5`
	default:
		value += `.standard_normal(` + shape + `)`
		if dtype != "" {
			value += `.astype("` + dtype + `")`
		}
	}
	save := "save"
	if text {
		save = "savetxt"
	}
	return s.add("file", path, "an array of random values with the shape that the script states",
		folder(path)+`__import__("numpy").`+save+`("`+path+`", `+value+`)`, changes...)
}

// shape of what a call gives, as the script states it.
func (s *standIns) shape(c CallPart) (shape, dtype string) {
	for _, com := range s.p.File.Comments {
		if com.Line != c.Line {
			continue
		}
		if m := saidShape.FindStringSubmatch(com.Text); m != nil {
			return "(" + strings.Trim(m[1], "()[]") + ")", m[2]
		}
	}
	name := s.assignedTo(c)
	for _, a := range s.p.File.Asserts {
		if name != "" && a.Left == name+".shape" && a.Op == "==" && shapeOnly.MatchString(a.Right) {
			return a.Right, ""
		}
	}
	return "", ""
}

// assignedTo is the plain name that a call's value is given to, "" when there
// is none or more than that.
func (s *standIns) assignedTo(c CallPart) string {
	for _, st := range s.p.Statements {
		if len(st.Binds) == 1 && len(st.Targets) == 1 && st.ValueSpan == c.Span {
			return st.Binds[0]
		}
	}
	return ""
}
