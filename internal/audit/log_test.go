package audit

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox/probe"
)

func record(parts ...string) (rec probe.Record) {
	for _, p := range parts {
		rec.Audit = append(rec.Audit, json.RawMessage(p))
	}
	return rec
}

// TestReadDamaged: whatever stands in a record, it is read or called damaged.
func TestReadDamaged(t *testing.T) {
	site, deep := `["s", 0, "call", 1, 0, "lib.f"]`, strings.Repeat(`{"k": "list", "e": [`, 40)+strings.Repeat(`]}`, 40)
	for name, rec := range map[string]probe.Record{
		"none":                   record(),
		"no list":                record(`{"q": 1}`),
		"no item":                record(`["q"]`),
		"another item":           record(`[["z"]]`),
		"a question of no place": record(`[["q", 0, 0, "", []]]`),
		"a question out of turn": record(`[` + site + `, ["q", 1, 0, "", []]]`),
		"an answer to none":      record(`[["r", 0, {}]]`),
		"a negative answer":      record(`[["r", -1, {}]]`),
		"two answers":            record(`[`+site+`, ["q", 0, 0, "", []]]`, `[["r", 0, {}], ["x", 0]]`),
		"an answer of text":      record(`[` + site + `, ["q", 0, 0, "", []], ["r", 0, "x"]]`),
		"too deep":               record(`[` + site + `, ["q", 0, 0, "", [` + deep + `]]]`),
		"an object before all":   record(`[` + site + `, ["q", 0, 0, "", [{"k": "object", "n": -4}]]]`),
		"too many":               record(`[` + site + strings.Repeat(`, ["x", 0]`, 1) + `]`),
		"a cut without a reason": record(`[["cut", ""]]`),
	} {
		if l, err := Read(rec); err == nil {
			t.Errorf("%s: %+v", name, l)
		}
	}
	many := []string{`[` + site + `]`}
	for n := range maxSteps + 1 {
		many = append(many, fmt.Sprintf(`[["q", %d, 0, "", []]]`, n))
	}
	if _, err := Read(record(many...)); err == nil {
		t.Error("an endless log was read")
	}
}

// FuzzCompare: no two logs, damaged or not, end otherwise than with a finding.
func FuzzCompare(f *testing.F) {
	files, err := filepath.Glob("testdata/logs/*.json")
	if err != nil || len(files) < 100 {
		f.Fatalf("%d logs: %v", len(files), err)
	}
	for i := 2; i < len(files); i += 9 {
		a, errA := os.ReadFile(files[i])
		b, errB := os.ReadFile(files[i-1])
		if errA != nil || errB != nil {
			f.Fatal(errA, errB)
		}
		f.Add(a, b)
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var logs [2]*Log
		for i, data := range [][]byte{a, b} {
			var rec probe.Record
			if json.Unmarshal(data, &rec.Audit) != nil {
				return
			}
			l, err := Read(rec)
			if err != nil {
				return
			}
			logs[i] = l
		}
		s := Suspect{Modules: []string{"lib"}, Named: func(n string) bool { return len(n) > 4 }, Ends: len(a)%2 == 0}
		for _, again := range []*Log{nil, logs[0], logs[1]} {
			switch c := Compare(logs[0], logs[1], again, s).Consequence; c {
			case Counts, Lead, Refused, Silent:
			default:
				t.Errorf("%q", c)
			}
		}
		if c := Compare(logs[0], logs[0], nil, s); c.Consequence != Lead && c.Consequence != Silent && logs[0].Ended {
			t.Errorf("a log and itself: %+v", c)
		}
	})
}

// TestNear: what rounding may do to a value, and nothing else.
func TestNear(t *testing.T) {
	array := func(mean, elem string) Value {
		return Value{Kind: "array", Text: "float32 (2,)", Hash: mean, Figures: []string{"2.0", "0.0", "4.0", mean, "4.0"}, Elems: []Value{{Kind: "number", Text: elem}}}
	}
	float := func(text string) Value { return Value{Kind: "float", Text: text} }
	for i, c := range []struct {
		a, b Value
		want bool
	}{
		{float("1.0"), float("1.0000001"), true},
		{float("1.0"), float("1.00001"), false},
		{float("nan"), float("nan"), true},
		{float("0.0"), float("nan"), false},
		{float("1.0"), Value{Kind: "int", Text: "1"}, false},
		{Value{Kind: "int", Text: "1"}, Value{Kind: "int", Text: "1"}, false},
		{array("2.0", "0.0"), array("2.0000001", "1e-9"), true},
		{array("2.0", "0.0"), array("2.0", "0.001"), false},
		{array("2.0", "0.0"), array("2.1", "0.0"), false},
		{Value{Kind: "array", Text: "float32 (2,)"}, Value{Kind: "array", Text: "float32 (2,)"}, false},
	} {
		if near(c.a, c.b) != c.want || near(c.b, c.a) != c.want {
			t.Errorf("%d: near(%v, %v) is %v", i, c.a, c.b, !c.want)
		}
	}
}

// TestDivergenceIsReadable: the path to the first difference, operators, and the
// call that gave an object.
func TestDivergenceIsReadable(t *testing.T) {
	i := func(n string) Value { return Value{Kind: "int", Text: n} }
	key := func(k string, v Value) Value { return Value{Kind: "pair", Elems: []Value{{Kind: "str", Text: k}, v}} }
	list := func(vs ...Value) Value { return Value{Kind: "list", Size: len(vs), Elems: vs} }
	dict := func(vs ...Value) Value { return Value{Kind: "dict", Size: len(vs), Elems: vs} }
	p := pair{list(dict(key("lr", i("1"))), dict(key("lr", i("1")), key("wd", i("5")))), list(dict(key("lr", i("1"))), dict(key("lr", i("1")), key("wd", i("0"))))}
	if path, a, b := p.first(); path != `[1]["wd"]` || a != "5" || b != "0" {
		t.Errorf("%s %s %s", path, a, b)
	}
	l := &Log{Questions: []*Question{
		{Site: Site{Kind: "call", Text: "lib.Opt"}},
		{Site: Site{Kind: "attr", Text: "opt.groups"}, Args: []Value{{Kind: "object", Size: 0}}},
		{Site: Site{Kind: "op", Text: "IAdd"}, Args: []Value{{Kind: "array", Text: "uint8 (2,)", Figures: []string{"2", "0", "1", "1", "1"}}, i("300")}},
		{Site: Site{Kind: "op", Text: "getitem"}, Args: []Value{list(i("1")), i("0")}},
		{Site: Site{Kind: "op", Text: "In"}, Args: []Value{i("1"), list(i("1"))}},
	}}
	for n, want := range []string{"lib.Opt(...)", "lib.Opt(...).groups", "uint8 (2,) + 300", "[1][0]", "1 in [1]"} {
		if got := l.Questions[n].call(l); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
