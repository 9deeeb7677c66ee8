package triage

import (
	"fmt"
	"testing"

	"github.com/repgen/repgen/internal/report"
)

func fenced(code string) string { return "\n```python\n" + code + "\n```\n" }

func TestAlternatives(t *testing.T) {
	a := "import tinynet\nnet = tinynet.Sequential([1, 2])\nprint(net(3))"
	b := "import tinynet\nnet = tinynet.Functional([1, 2])\nprint(net(3))"
	setup := "import tinynet\ndata = tinynet.data(7)"
	one, two := "net = tinynet.A(data)\nprint(net)", "net = tinynet.B(data)\nprint(net)"
	for _, c := range []struct {
		name, text string
		blocks     string
	}{
		{"works, does not", "This works:\n" + fenced(a) + "\nThis does not:\n" + fenced(b), "[1] [[0]]"},
		{"fails, works", "This fails:\n" + fenced(a) + "\nThis works:\n" + fenced(b), "[0] [[1]]"},
		{"versions A and B", "Version A works:\n" + fenced(a) + "\nVersion B fails:\n" + fenced(b), "[1] [[0]]"},
		{"good and bad", "Good:\n" + fenced(a) + "\nBad:\n" + fenced(b), "[1] [[0]]"},
		{"comments", fenced("# this works\n"+a) + "\nand\n" + fenced("# this fails with an error\n"+b), "[1] [[0]]"},
		{"nothing said", "One way:\n" + fenced(a) + "\nAnother way:\n" + fenced(b), "[0] [[1]]"},
		{"a fix is no script", "It breaks:\n" + fenced(a) + "\nMy proposed fix:\n" + fenced(b), "[0] []"},
		{"shared setup", fenced(setup) + "\nThis works:\n" + fenced(one) + "\nThis crashes:\n" + fenced(two), "[0 2] [[0 1]]"},
		{"incomplete other", "It fails:\n" + fenced(a) + "\nIt works:\n" + fenced("net = mine(secret)\nprint(net)"), "[0] []"},
		{"one script", "It fails:\n" + fenced(a), "[0] []"},
	} {
		d := Decide(report.Parse([]byte("# Functional gives zeros\n\n"+c.text), report.Source{}), Options{})
		if got := fmt.Sprint(d.Blocks, " ", d.Alternatives); got != c.blocks {
			t.Errorf("%s: blocks and alternatives %s, want %s", c.name, got, c.blocks)
		}
	}
}
