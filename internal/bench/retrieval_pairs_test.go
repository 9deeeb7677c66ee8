package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pairLine is a good line with one field replaced.
func pairLine(field, value string) string {
	fields := []string{`"id":"a-1"`, `"commit_parent":"0123456789abcdef"`, `"query":"it fails"`, `"relevant_files":["a/b.py"]`}
	for i, f := range fields {
		if strings.HasPrefix(f, `"`+field+`"`) {
			fields[i] = `"` + field + `":` + value
		}
	}
	return "{" + strings.Join(fields, ",") + "}"
}

func writePairs(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadPairs(t *testing.T) {
	text := "\n" + pairLine("x", "") + "\n\n" + strings.TrimSuffix(pairLine("id", `"a-2"`), "}") + `,"more":{"x":[1]}}` + "\n"
	pairs, err := ReadPairs(writePairs(t, "made.jsonl", text))
	if err != nil {
		t.Fatal(err)
	}
	if len(pairs) != 2 || pairs[0].ID != "a-1" || pairs[1].ID != "a-2" || pairs[0].Set != "made" || pairs[1].Relevant[0] != "a/b.py" {
		t.Errorf("%+v", pairs)
	}
}

// TestReadPairsBad: each bad line is named with its number, whatever is in it.
func TestReadPairsBad(t *testing.T) {
	for name, tt := range map[string]struct{ line, want string }{
		"no JSON":           {"hello", "no pair in JSON"},
		"another type":      {`[1]`, "no pair in JSON"},
		"no id":             {pairLine("id", `""`), "id"},
		"control in id":     {pairLine("id", `"a\u001b[2J"`), "id"},
		"option for commit": {pairLine("commit_parent", `"--upload-pack=x"`), "git hash"},
		"branch for commit": {pairLine("commit_parent", `"main"`), "git hash"},
		"no query":          {pairLine("query", `" \n"`), "query is empty"},
		"no files":          {pairLine("relevant_files", `[]`), "relevant_files is empty"},
		"outside":           {pairLine("relevant_files", `["../x.py"]`), "no clean path"},
		"absolute":          {pairLine("relevant_files", `["/etc/passwd"]`), "no clean path"},
		"unclean":           {pairLine("relevant_files", `["a//b.py"]`), "no clean path"},
		"NUL":               {pairLine("relevant_files", `["a\u0000.py"]`), "no clean path"},
		"twice in a pair":   {pairLine("relevant_files", `["a.py","a.py"]`), "named twice"},
		"same id":           {pairLine("x", ""), "stands at"},
		"no UTF-8":          {"{\"id\":\"\xff\"}", "UTF-8"},
		"too long":          {pairLine("query", `"`+strings.Repeat("x", maxPairLine)+`"`), "longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			path := writePairs(t, "bad.jsonl", pairLine("x", "")+"\n"+tt.line+"\n")
			_, err := ReadPairs(path)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path+":2: ") {
				t.Errorf("error %v, want line 2 and %q", err, tt.want)
			}
		})
	}
	if _, err := ReadPairs(filepath.Join(t.TempDir(), "none.jsonl")); err == nil {
		t.Error("a missing file is read")
	}
	if _, err := ReadPairs(writePairs(t, "empty.jsonl", "\n\n")); err == nil || !strings.Contains(err.Error(), "no pair") {
		t.Errorf("an empty file: %v", err)
	}
}

// TestReadPairsAll: every bad line is told at once, up to a limit.
func TestReadPairsAll(t *testing.T) {
	_, err := ReadPairs(writePairs(t, "bad.jsonl", strings.Repeat("bad\n", 100)), writePairs(t, "more.jsonl", "worse\n"))
	if err == nil || strings.Count(err.Error(), "\n") != maxBadPairs || !strings.Contains(err.Error(), "more.jsonl:1") {
		t.Errorf("%v", err)
	}
}

// TestShippedPairs: the sets in the repository are read.
func TestShippedPairs(t *testing.T) {
	files, err := filepath.Glob("testdata/retrieval/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var sets []string
	for _, f := range files {
		if !strings.Contains(filepath.Base(f), "golden") {
			sets = append(sets, f)
		}
	}
	pairs, err := ReadPairs(sets...)
	if err != nil || len(pairs) != 20 {
		t.Errorf("%d pairs of %v: %v", len(pairs), sets, err)
	}
}

func FuzzReadPairs(f *testing.F) {
	f.Add(pairLine("x", ""))
	f.Add(pairLine("id", `"a-2"`) + "\n" + pairLine("relevant_files", `["../x"]`))
	f.Add("\xff\n{}\n[]\nnull\n")
	f.Fuzz(func(t *testing.T, text string) {
		pairs, err := readPairs(strings.NewReader(text), "f.jsonl", map[string]string{})
		for _, p := range pairs {
			if p.ID == "" || p.Query == "" || len(p.Relevant) == 0 || !commitName.MatchString(p.Commit) {
				t.Fatalf("accepted %+v", p)
			}
		}
		if err != nil && !strings.Contains(err.Error(), "f.jsonl:") {
			t.Fatalf("an error without a line: %v", err)
		}
	})
}
