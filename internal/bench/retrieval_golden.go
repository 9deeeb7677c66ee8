package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// A golden is a file of JSON lines, one a pair in the order of the
// measurement: the ranks of its files by method. It lies in the repository, so
// that a change in ranking shows in the diff of the change that made it.

// goldenLine is one pair of a golden. Keys of a map are written in order.
type goldenLine struct {
	ID      string           `json:"id"`
	Skipped string           `json:"skipped,omitempty"`
	Ranks   map[string][]int `json:"ranks,omitempty"`
}

// WriteGolden writes the ranks of a measurement.
func WriteGolden(w io.Writer, ranked []Ranked) error {
	for _, r := range ranked {
		line, err := json.Marshal(goldenLine{r.ID, r.Skipped, r.Ranks})
		if err != nil {
			return fmt.Errorf("write the golden: %w", err)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("write the golden: %w", err)
		}
	}
	return nil
}

// readGolden reads what WriteGolden wrote.
func readGolden(r io.Reader) ([]goldenLine, error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxPairLine)
	var out []goldenLine
	for n := 1; in.Scan(); n++ {
		if len(bytes.TrimSpace(in.Bytes())) == 0 {
			continue
		}
		var l goldenLine
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("read the golden, line %d: %w", n, err)
		}
		out = append(out, l)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("read the golden: %w", err)
	}
	return out, nil
}

// CompareGolden tells what differs, one line a pair and method; none when the
// rankings are those of the golden. Rankings by words must be equal; those by
// vectors may differ by slack(rank), since the last bits of a cosine are the
// machine's.
func CompareGolden(golden io.Reader, ranked []Ranked) ([]string, error) {
	want, err := readGolden(golden)
	if err != nil {
		return nil, err
	}
	var diff []string
	have := map[string]Ranked{}
	for _, r := range ranked {
		have[r.ID] = r
	}
	for _, w := range want {
		r, ok := have[w.ID]
		if !ok {
			diff = append(diff, w.ID+": in the golden, not measured")
			continue
		}
		delete(have, w.ID)
		if r.Skipped != w.Skipped {
			diff = append(diff, fmt.Sprintf("%s: left out: %q, in the golden %q", w.ID, r.Skipped, w.Skipped))
		}
		diff = append(diff, compareRanks(w, r)...)
	}
	for _, id := range slices.Sorted(maps.Keys(have)) {
		diff = append(diff, id+": measured, not in the golden")
	}
	return diff, nil
}

// compareRanks tells the methods of one pair that differ.
func compareRanks(want goldenLine, have Ranked) []string {
	methods := slices.Collect(maps.Keys(want.Ranks))
	for m := range have.Ranks {
		if want.Ranks[m] == nil {
			methods = append(methods, m)
		}
	}
	slices.Sort(methods)
	var diff []string
	for _, m := range methods {
		if !sameRanks(m, want.Ranks[m], have.Ranks[m]) {
			diff = append(diff, fmt.Sprintf("%s: %s: ranks %s, in the golden %s", want.ID, m, ranksOrNone(have.Ranks[m]), ranksOrNone(want.Ranks[m])))
		}
	}
	return diff
}

func ranksOrNone(ranks []int) string {
	if ranks == nil {
		return "none"
	}
	return rankText(ranks)
}

func sameRanks(method string, want, have []int) bool {
	m, err := ParseMethod(method)
	return slices.EqualFunc(want, have, func(a, b int) bool {
		if a == b {
			return true
		}
		if err != nil || m.Lexical() || a == 0 || b == 0 {
			return false
		}
		return max(a-b, b-a) <= slack(min(a, b))
	})
}

// slack is how far a rank by vectors may move between machines: a place below
// ten, a tenth beyond (guess).
func slack(rank int) int { return 1 + rank/10 }

// DescribeDiff lays the differences out, at most limit of them.
func DescribeDiff(diff []string, limit int) string {
	if len(diff) <= limit {
		return strings.Join(diff, "\n")
	}
	return strings.Join(diff[:limit], "\n") + fmt.Sprintf("\n... and %d more", len(diff)-limit)
}
