package pysyntax

import (
	"regexp"
	"slices"
	"strings"
)

var (
	tableRead = regexp.MustCompile(`^(pandas|pd)\.read_(csv|table)$`)
	columns   = regexp.MustCompile(`^\[\s*((?:"[^"\\\n]+"|'[^'\\\n]+')(?:\s*,\s*(?:"[^"\\\n]+"|'[^'\\\n]+'))*)\s*,?\s*\]$`)
	oneColumn = regexp.MustCompile(`^("[^"\\\n,]+"|'[^'\\\n,]+')$`)
	cell      = regexp.MustCompile(`"[^"]+"|'[^']+'`)
	// tableRows is enough for a split, a batch and a few folds.
	tableRows = "200"
)

// table: a CSV file whose columns are all named where the table is used. Only
// numbers are made up, so a column that is used as text is no stand-in.
func (s *standIns) table(c CallPart) bool {
	if !tableRead.MatchString(c.Full) {
		return false
	}
	for _, a := range c.Args { // an index, a separator, dates: another kind of file
		if a.Key != "" && a.Key != "usecols" {
			return false
		}
	}
	name := s.assignedTo(c)
	names, ok := s.columnsOf(name)
	if name == "" || !ok || len(names) == 0 {
		return false
	}
	path, changes, fine := s.path(c)
	if !fine {
		return false
	}
	header := strings.Join(names, ",")
	prologue := folder(path) + `_r = __import__("random").Random(0); _f = open("` + path + `", "w"); _ = _f.write("` + header + `\n" + "".join(",".join(repr(_r.gauss(0, 1)) for _ in range(` +
		itoa(len(names)) + `)) + "\n" for _ in range(` + tableRows + `))); _f.close()`
	return s.add("file", path, "a table of random numbers with the columns that the script names", prologue, changes...)
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

// columnsOf are the columns that a table is asked for, if it is asked for
// nothing else.
func (s *standIns) columnsOf(name string) (names []string, ok bool) {
	src := s.p.File.Source
	uses := 0
	for _, u := range s.p.Uses {
		if firstPart(u.Text) != name || u.Import {
			continue
		}
		uses++
		rest := src[u.Span.End:]
		switch {
		case u.Text != name:
			if !harmlessMethod[lastPart(u.Text)] {
				return nil, false
			}
		case strings.HasPrefix(rest, "["):
			end := strings.IndexByte(rest, ']')
			if strings.HasPrefix(rest, "[[") {
				end = strings.Index(rest, "]]") + 1
			}
			if end <= 0 {
				return nil, false
			}
			found := columnNames(rest[1:end])
			if found == nil || asText.MatchString(rest[end:]) {
				return nil, false
			}
			for _, f := range found {
				if !slices.Contains(names, f) {
					names = append(names, f)
				}
			}
		case !strings.HasPrefix(strings.TrimLeft(rest, " "), "="): // handed on as a whole
			return nil, false
		}
	}
	return names, uses > 1
}

// asText: what comes after a column shows that it holds no numbers.
var asText = regexp.MustCompile(`^\]*\s*(\.(str|dt|cat)\b|[!=]=\s*["']|\.(isin|map|replace|apply|value_counts)\(|\.astype\(["']?(category|str))`)

var harmlessMethod = map[string]bool{"head": true, "dropna": true, "copy": true, "reset_index": true, "sample": true}

// columnNames are the names in a subscript, nil for any other subscript.
func columnNames(text string) []string {
	if oneColumn.MatchString(text) {
		return []string{text[1 : len(text)-1]}
	}
	if !columns.MatchString(text) {
		return nil
	}
	var names []string
	for _, q := range cell.FindAllString(text, -1) {
		if strings.ContainsAny(q, ",") {
			return nil
		}
		names = append(names, q[1:len(q)-1])
	}
	return names
}
