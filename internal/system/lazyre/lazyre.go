// Package lazyre has regular expressions that are compiled when they are first
// asked. Some four hundred of them read reports, logs and scripts; compiled as
// the packages load they cost every start of the program some 40 ms, although
// most commands need few of them and many need none.
package lazyre

import (
	"errors"
	"fmt"
	"regexp"
	"sync"
)

// Regexp is a pattern of the syntax of package regexp. Its methods are those of
// regexp.Regexp and safe for concurrent use.
type Regexp struct {
	text string
	get  func() *regexp.Regexp
}

// known are the patterns that Check compiles.
var known struct {
	sync.Mutex
	all []string
}

// New takes a pattern without looking at it: a wrong one panics when it is
// first used, so each package's tests call Check.
func New(text string) *Regexp {
	known.Lock()
	known.all = append(known.all, text)
	known.Unlock()
	return &Regexp{text: text, get: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// Check compiles every pattern that the program has and joins the errors.
func Check() error {
	known.Lock()
	defer known.Unlock()
	var errs []error
	for _, text := range known.all {
		if _, err := regexp.Compile(text); err != nil {
			errs = append(errs, fmt.Errorf("pattern %s: %w", text, err))
		}
	}
	return errors.Join(errs...)
}

// String is the pattern as written.
func (r *Regexp) String() string { return r.text }

// The methods below are those of regexp.Regexp with the same names.

func (r *Regexp) Match(b []byte) bool { return r.get().Match(b) }

func (r *Regexp) MatchString(s string) bool { return r.get().MatchString(s) }

func (r *Regexp) FindAllIndex(b []byte, n int) [][]int { return r.get().FindAllIndex(b, n) }

func (r *Regexp) ExpandString(dst []byte, template, src string, match []int) []byte {
	return r.get().ExpandString(dst, template, src, match)
}

func (r *Regexp) FindString(s string) string { return r.get().FindString(s) }

func (r *Regexp) FindStringIndex(s string) []int { return r.get().FindStringIndex(s) }

func (r *Regexp) FindStringSubmatch(s string) []string { return r.get().FindStringSubmatch(s) }

func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.get().FindStringSubmatchIndex(s)
}

func (r *Regexp) FindAllString(s string, n int) []string { return r.get().FindAllString(s, n) }

func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.get().FindAllStringIndex(s, n)
}

func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.get().FindAllStringSubmatch(s, n)
}

func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.get().FindAllStringSubmatchIndex(s, n)
}

func (r *Regexp) ReplaceAllString(s, with string) string {
	return r.get().ReplaceAllString(s, with)
}

func (r *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	return r.get().ReplaceAllStringFunc(s, with)
}

func (r *Regexp) ReplaceAll(b, with []byte) []byte { return r.get().ReplaceAll(b, with) }

func (r *Regexp) Split(s string, n int) []string { return r.get().Split(s, n) }
