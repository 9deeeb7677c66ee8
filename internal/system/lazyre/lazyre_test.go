package lazyre

import (
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// TestSame asserts that each method answers as the one of package regexp.
func TestSame(t *testing.T) {
	patterns := []string{`a+(b)?`, `\d+`, `(?i)x|y`, `^$`, ``}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(patterns).Draw(t, "pattern")
		s := rapid.StringMatching(`[abxY1 \n]{0,20}`).Draw(t, "text")
		lazy, want := New(text), regexp.MustCompile(text)
		for name, pair := range map[string][2]any{
			"String":                     {lazy.String(), want.String()},
			"Match":                      {lazy.Match([]byte(s)), want.Match([]byte(s))},
			"MatchString":                {lazy.MatchString(s), want.MatchString(s)},
			"ExpandString":               {string(lazy.ExpandString(nil, "<$0>", s+"a", []int{0, 1})), string(want.ExpandString(nil, "<$0>", s+"a", []int{0, 1}))},
			"FindAllIndex":               {lazy.FindAllIndex([]byte(s), 2), want.FindAllIndex([]byte(s), 2)},
			"FindString":                 {lazy.FindString(s), want.FindString(s)},
			"FindStringIndex":            {lazy.FindStringIndex(s), want.FindStringIndex(s)},
			"FindStringSubmatch":         {lazy.FindStringSubmatch(s), want.FindStringSubmatch(s)},
			"FindStringSubmatchIndex":    {lazy.FindStringSubmatchIndex(s), want.FindStringSubmatchIndex(s)},
			"FindAllString":              {lazy.FindAllString(s, -1), want.FindAllString(s, -1)},
			"FindAllStringIndex":         {lazy.FindAllStringIndex(s, 2), want.FindAllStringIndex(s, 2)},
			"FindAllStringSubmatch":      {lazy.FindAllStringSubmatch(s, 2), want.FindAllStringSubmatch(s, 2)},
			"FindAllStringSubmatchIndex": {lazy.FindAllStringSubmatchIndex(s, 2), want.FindAllStringSubmatchIndex(s, 2)},
			"ReplaceAllString":           {lazy.ReplaceAllString(s, "-"), want.ReplaceAllString(s, "-")},
			"ReplaceAllStringFunc":       {lazy.ReplaceAllStringFunc(s, strings.ToUpper), want.ReplaceAllStringFunc(s, strings.ToUpper)},
			"ReplaceAll":                 {lazy.ReplaceAll([]byte(s), []byte("-")), want.ReplaceAll([]byte(s), []byte("-"))},
			"Split":                      {lazy.Split(s, 3), want.Split(s, 3)},
		} {
			if !reflect.DeepEqual(pair[0], pair[1]) {
				t.Fatalf("%s of %q in %q: %v, want %v", name, text, s, pair[0], pair[1])
			}
		}
	})
}

// forgotten keeps what a test makes from the tests after it, in any order.
func forgotten(t *testing.T) {
	t.Helper()
	before := known.all
	t.Cleanup(func() { known.all = before })
}

func TestCheck(t *testing.T) {
	forgotten(t)
	if err := Check(); err != nil {
		t.Fatal(err)
	}
	New(`(unclosed`)
	if err := Check(); err == nil || !strings.Contains(err.Error(), "(unclosed") {
		t.Errorf("a wrong pattern was not found: %v", err)
	}
}

func TestWrongPatternPanics(t *testing.T) {
	forgotten(t)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	New(`(`).MatchString("")
}

func TestConcurrent(t *testing.T) {
	r := New(`b+`)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if !r.MatchString("abc") {
				t.Error("no match")
			}
		})
	}
	wg.Wait()
}
