package source

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/system/worktime"
)

// TestNestedIgnoreFiles: the same large file in every folder of a deep project
// is a few kilobytes in a repository; its patterns are bounded together.
func TestNestedIgnoreFiles(t *testing.T) {
	text := []byte(strings.Repeat("a\n", maxIgnoreFile/2))
	var up *ignores
	dir := ""
	for i := range 50 {
		up = parseIgnores(dir, text, up)
		dir += fmt.Sprintf("d%d/", i)
	}
	n := 0
	for l := up; l != nil; l = l.up {
		n += len(l.patterns)
	}
	if n != maxPatterns || up.all != n {
		t.Errorf("%d patterns, counted %d, want %d", n, up.all, maxPatterns)
	}
	if !up.ignored(dir+"a", false) || up.ignored(dir+"b", false) {
		t.Error("the first patterns do not hold")
	}
}

// TestIgnoreTime: one path is judged soon, whatever its patterns are, and
// patterns that cost little hold however many there are.
func TestIgnoreTime(t *testing.T) {
	evil := strings.Repeat("*a*a*a*a*a*a*a*a*a*a*a*b\n", 20_000)
	list := parseIgnores("", []byte(evil), nil)
	path := strings.Repeat("a", 4000) + ".py"
	took := worktime.Of(func() {
		for range 10 {
			list.ignored(path, false)
		}
	})
	if took > 10*time.Second {
		t.Errorf("ten paths took %v", took)
	}
	many := parseIgnores("", []byte("x*.py\n"+strings.Repeat("no*thing\n", 10_000)), nil)
	if !many.ignored("some/folder/xyz.py", false) {
		t.Error("the first of many patterns does not hold")
	}
}

// TestListEndsWithTheContext: also in the middle of one large folder.
func TestListEndsWithTheContext(t *testing.T) {
	root := t.TempDir()
	for i := range 200 {
		write(t, filepath.Join(root, fmt.Sprintf("f%d.py", i)), "x = 1\n")
	}
	d, err := Dir(root)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	_, err = d.List(ctx, func(string) (File, bool) {
		asked++
		cancel()
		return File{}, false
	})
	if !errors.Is(err, context.Canceled) || asked != 1 {
		t.Errorf("%v after %d files", err, asked)
	}
}
