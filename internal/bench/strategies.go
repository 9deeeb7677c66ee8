package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/system/inert"
)

// Strategies are the tables of the same cases under several strategies.
type Strategies struct {
	Schema int `json:"schema"`
	// FalseClaims of all of them, as "strategy: case".
	FalseClaims []string `json:"false_claims"`
	Strategies  []Column `json:"strategies"`
}

// Column is one strategy.
type Column struct {
	Strategy string `json:"strategy"`
	Table    *Table `json:"table"`
}

// Compare puts tables side by side.
func Compare(columns []Column) *Strategies {
	s := &Strategies{Schema: SchemaVersion, FalseClaims: []string{}, Strategies: columns}
	for _, c := range columns {
		for _, id := range c.Table.FalseClaims {
			s.FalseClaims = append(s.FalseClaims, c.Strategy+": "+id)
		}
	}
	return s
}

// StrategiesMarkdown lays out the table strategies by cases: what must not be
// comes first, then each case, then what each strategy came to and cost.
func StrategiesMarkdown(w io.Writer, s *Strategies) error {
	p := &page{}
	p.line("# Benchmark: %d strategies", len(s.Strategies))
	p.line("")
	for _, c := range s.Strategies {
		p.line("- %s: %s", c.Strategy, inert.Markdown(c.Table.Identity))
	}
	p.line("")
	p.list("False claims", s.FalseClaims)
	p.line("")
	head := []string{"case", "expected"}
	for _, c := range s.Strategies {
		head = append(head, c.Strategy)
	}
	p.row(head...)
	p.rule(len(head))
	for _, id := range s.cases() {
		cells := []string{inert.Markdown(id), ""}
		for _, c := range s.Strategies {
			i := slices.IndexFunc(c.Table.Outcomes, func(o Outcome) bool { return o.ID == id })
			if i < 0 {
				cells = append(cells, "")
				continue
			}
			o := c.Table.Outcomes[i]
			cells[1] = string(o.Expected)
			cells = append(cells, inert.Markdown(cell(o)))
		}
		p.row(cells...)
	}
	p.sums(s, len(head))
	_, err := io.WriteString(w, p.b.String())
	if err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}

// cases are the ids in the order of the first table that has them.
func (s *Strategies) cases() []string {
	var ids []string
	for _, c := range s.Strategies {
		for _, o := range c.Table.Outcomes {
			if !slices.Contains(ids, o.ID) {
				ids = append(ids, o.ID)
			}
		}
	}
	return ids
}

// cell is one case under one strategy.
func cell(o Outcome) string {
	text := headline(o)
	if o.Grade != "" {
		text += " " + string(o.Grade)
	}
	if word(o) == "FALSE CLAIM" {
		text += ", FALSE CLAIM"
	}
	if m := o.Model; m != nil {
		text += fmt.Sprintf(" (%d attempts, %s)", m.Attempts, m.cost())
	}
	return text
}

func (p *page) sums(s *Strategies, columns int) {
	row := func(name string, of func(*Table) string) {
		cells := []string{"**" + name + "**", ""}
		for _, c := range s.Strategies {
			cells = append(cells, of(c.Table))
		}
		for len(cells) < columns {
			cells = append(cells, "")
		}
		p.row(cells...)
	}
	row("claimed", func(t *Table) string {
		return fmt.Sprintf("%d of %d", t.Reachable.GradeC+t.Model.GradeC, t.Reachable.Of+t.Model.Of)
	})
	row("negatives right", func(t *Table) string {
		return fmt.Sprintf("%d of %d", t.Negatives.Exact+t.ModelNegatives.Exact, t.Negatives.Of+t.ModelNegatives.Of)
	})
	row("false claims", func(t *Table) string { return fmt.Sprint(len(t.FalseClaims)) })
	row("attempts", func(t *Table) string { return fmt.Sprint(t.Spent.Attempts) })
	row("tokens", func(t *Table) string { return fmt.Sprintf("%d + %d", t.Spent.TokensIn, t.Spent.TokensOut) })
	row("US dollars", func(t *Table) string { return t.Spent.money() })
	row("seconds", func(t *Table) string { return fmt.Sprintf("%.0f", t.Times.Total) })
}

// Spent is what language models took.
type Spent struct {
	Attempts  int     `json:"attempts"`
	Calls     int     `json:"calls"`
	TokensIn  int     `json:"tokens_in"`
	TokensOut int     `json:"tokens_out"`
	USD       float64 `json:"usd"`
	// Priced is false when USD is too low, since some price is unknown.
	Priced bool `json:"priced"`
}

func (s Spent) money() string {
	if !s.Priced {
		return "price unknown"
	}
	return fmt.Sprintf("%.4f", s.USD)
}

func (s Spent) cost() string {
	text := fmt.Sprintf("%d tokens", s.TokensIn+s.TokensOut)
	if s.Priced {
		return text + ", " + s.money() + " USD"
	}
	return text
}

func (s *Spent) add(o Spent) {
	s.Attempts += o.Attempts
	s.Calls += o.Calls
	s.TokensIn += o.TokensIn
	s.TokensOut += o.TokensOut
	s.USD += o.USD
	s.Priced = s.Priced && o.Priced
}

// spent adds up what the outcomes' models took; nothing asked is priced.
func spent(outcomes []Outcome) Spent {
	sum := Spent{Priced: true}
	for _, o := range outcomes {
		if o.Model != nil {
			sum.add(*o.Model)
		}
	}
	return sum
}

// line says what all models took, "" where none was asked.
func (s Spent) line() string {
	if s.Calls == 0 {
		return ""
	}
	return strings.Join([]string{
		fmt.Sprintf("Language model: %d attempts, %d calls, %d + %d tokens", s.Attempts, s.Calls, s.TokensIn, s.TokensOut), s.money(),
	}, ", ")
}
