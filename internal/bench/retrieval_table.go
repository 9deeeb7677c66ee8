package bench

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/system/inert"
)

// RetrievalTable is a measurement, counted.
type RetrievalTable struct {
	Schema   int    `json:"schema"`
	Identity string `json:"identity"` // what was measured: version, corpus, model
	Pairs    int    `json:"pairs"`
	// Rows by set and method; the set "all" holds every pair.
	Rows    []RetrievalRow    `json:"rows"`
	Missing map[string]string `json:"missing,omitempty"`
	Ranked  []Ranked          `json:"ranked"`
}

// RetrievalRow is one method on one set.
type RetrievalRow struct {
	Set    string `json:"set"`
	Method string `json:"method"`
	Pairs  int    `json:"pairs"`
	Scores
	// Intervals of the means at 95 %, by the bootstrap over pairs.
	R5Interval  Interval `json:"r5_interval"`
	R20Interval Interval `json:"r20_interval"`
	MRRInterval Interval `json:"mrr_interval"`
	// R5Gain is recall@5 less that of bm25 on the same pairs: the difference of
	// two methods is known better than either. Nil without bm25.
	R5Gain *Gain `json:"r5_gain,omitempty"`
	// Milliseconds of one search and texts embedded for it, medians.
	Milliseconds float64 `json:"ms"`
	Embedded     int     `json:"embedded"`
}

// Gain is a difference of two means over the same pairs.
type Gain struct {
	Mean     float64  `json:"mean"`
	Interval Interval `json:"interval"`
}

// retrievalSchema is that of the JSON of `repgen bench retrieval`.
const retrievalSchema = 1

// allSets names the rows over every pair.
const allSets = "all"

// SummariseRetrieval counts a measurement. A row stands only for pairs that the
// method ranked.
func SummariseRetrieval(identity string, r *Retrieval) *RetrievalTable {
	t := &RetrievalTable{Schema: retrievalSchema, Identity: identity, Pairs: len(r.Ranked), Missing: r.Missing, Ranked: r.Ranked}
	var sets []string
	for _, k := range r.Ranked {
		if !slices.Contains(sets, k.Set) {
			sets = append(sets, k.Set)
		}
	}
	if len(sets) > 1 {
		sets = append(sets, allSets)
	}
	for _, set := range sets {
		for _, m := range r.Methods {
			if row, ok := retrievalRow(set, m.String(), r.Ranked); ok {
				t.Rows = append(t.Rows, row)
			}
		}
	}
	return t
}

// retrievalRow is one method on the pairs of a set that it ranked.
func retrievalRow(set, method string, ranked []Ranked) (RetrievalRow, bool) {
	row := RetrievalRow{Set: set, Method: method}
	var r1, r5, r20, mrr, gain, ms []float64
	var texts []int
	for _, k := range ranked {
		ranks, ok := k.Ranks[method]
		if !ok || set != allSets && k.Set != set {
			continue
		}
		s := scoreRanks(ranks)
		r1, r5, r20, mrr = append(r1, s.R1), append(r5, s.R5), append(r20, s.R20), append(mrr, s.MRR)
		ms, texts = append(ms, 1000*k.Seconds[method]), append(texts, k.Embedded[method])
		if base, ok := k.Ranks[BaseBM25]; ok {
			gain = append(gain, s.R5-scoreRanks(base).R5)
		}
	}
	row.Pairs = len(r5)
	row.Scores = Scores{mean(r1), mean(r5), mean(r20), mean(mrr)}
	row.R5Interval, row.R20Interval, row.MRRInterval = bootstrap(r5), bootstrap(r20), bootstrap(mrr)
	if method != BaseBM25 && len(gain) == len(r5) && len(gain) > 0 {
		row.R5Gain = &Gain{mean(gain), bootstrap(gain)}
	}
	if row.Pairs == 0 {
		return row, false
	}
	slices.Sort(ms)
	slices.Sort(texts)
	row.Milliseconds, row.Embedded = ms[len(ms)/2], texts[len(texts)/2]
	return row, true
}

// MarkdownRetrieval lays a table out for reading.
func MarkdownRetrieval(w io.Writer, t *RetrievalTable) error {
	p := &page{}
	p.line("# Retrieval: %d pairs", t.Pairs)
	p.line("")
	p.line("%s", inert.Markdown(t.Identity))
	p.line("")
	p.line("By file, test files left out; [95 %% interval by bootstrap over pairs]; gain: recall@5 less that of bm25 on the same pairs; ms and texts embedded: of one search, medians.")
	p.line("")
	p.retrievalRows(t)
	for _, m := range slices.Sorted(maps.Keys(t.Missing)) {
		p.line("- not measured: %s: %s", m, inert.Markdown(t.Missing[m]))
	}
	p.retrievalRanks(t)
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) retrievalRows(t *RetrievalTable) {
	p.row("set", "method", "pairs", "recall@1", "recall@5", "recall@20", "MRR", "gain", "ms", "embedded")
	p.rule(10)
	for _, r := range t.Rows {
		gain := ""
		if r.R5Gain != nil {
			gain = fmt.Sprintf("%+.3f [%+.2f, %+.2f]", r.R5Gain.Mean, r.R5Gain.Interval.Low, r.R5Gain.Interval.High)
		}
		p.row(inert.Markdown(r.Set), r.Method, fmt.Sprint(r.Pairs), fmt.Sprintf("%.3f", r.R1), ranged(r.R5, r.R5Interval),
			ranged(r.R20, r.R20Interval), ranged(r.MRR, r.MRRInterval), gain, fmt.Sprintf("%.1f", r.Milliseconds), fmt.Sprint(r.Embedded))
	}
	p.line("")
}

func ranged(v float64, i Interval) string { return fmt.Sprintf("%.3f [%.2f, %.2f]", v, i.Low, i.High) }

// retrievalRanks lists the ranks of each pair's files, "-" for not found.
func (p *page) retrievalRanks(t *RetrievalTable) {
	var methods []string
	for _, r := range t.Rows {
		if !slices.Contains(methods, r.Method) {
			methods = append(methods, r.Method)
		}
	}
	p.line("")
	p.line("Ranks of each pair's files:")
	p.line("")
	p.row(append([]string{"pair"}, methods...)...)
	p.rule(len(methods) + 1)
	for _, k := range t.Ranked {
		cells := []string{inert.Markdown(k.ID)}
		for _, m := range methods {
			cells = append(cells, rankText(k.Ranks[m]))
		}
		if k.Skipped != "" {
			cells = append(cells[:1], "left out: "+inert.Markdown(k.Skipped))
		}
		p.row(cells...)
	}
}

func rankText(ranks []int) string {
	var out []string
	for _, r := range ranks {
		text := "-"
		if r > 0 {
			text = fmt.Sprint(r)
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// RankedLine is one pair for progress.
func RankedLine(r Ranked, methods []Method) string {
	if r.Skipped != "" {
		return r.ID + ": left out: " + r.Skipped
	}
	var parts []string
	for _, m := range methods {
		if ranks, ok := r.Ranks[m.String()]; ok {
			parts = append(parts, m.String()+" "+strings.ReplaceAll(rankText(ranks), " ", ","))
		}
	}
	return r.ID + ": " + strings.Join(parts, "  ")
}
