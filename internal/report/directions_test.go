package report

import (
	"strings"
	"testing"
)

// TestDirections reads what prose says of a series; "" is nothing.
func TestDirections(t *testing.T) {
	for text, want := range map[string]string{
		// Claims.
		"The error gets smaller with every additional bin.":                "actual falling",
		"Accuracy drops as k increases.":                                   "actual falling",
		"The score decreases with the number of folds.":                    "actual falling",
		"The distance becomes larger for more points.":                     "actual rising",
		"The perplexity grows with each epoch.":                            "actual rising",
		"The value goes up when the weight is increased.":                  "actual rising",
		"Accuracy must not fall.":                                          "expected not_falling",
		"The sum should increase with n.":                                  "expected not_falling",
		"Recall should monotonically increase.":                            "expected not_falling",
		"The bound should never decrease.":                                 "expected not_falling",
		"Top-5 accuracy cannot be lower than top-1 accuracy.":              "expected not_falling",
		"It shouldn't get smaller.":                                        "expected not_falling",
		"It shouldn’t drop.":                                               "expected not_falling",
		"The distance must not increase.":                                  "expected not_rising",
		"The learning rate should go down monotonically.":                  "expected not_rising",
		"The loss is supposed to decrease.":                                "expected not_rising",
		"The variance can't become larger than before.":                    "expected not_rising",
		"The rate should go down, but it increases with each step.":        "expected not_rising; actual rising",
		"The error should be increasing, instead it falls with each step.": "expected not_falling; actual falling",
		// What only sounds alike.
		"You should increase the batch size.":                    "",
		"We must not drop support for 3.8.":                      "",
		"It should grow the buffer first.":                       "",
		"The result should not be lower than 0.1.":               "",
		"It must not fall below 0.":                              "",
		"Memory grows with each epoch.":                          "",
		"The run time increases with n.":                         "",
		"It drops the last row.":                                 "",
		"It does not decrease with more steps, as expected.":     "",
		"followed by a smaller tensor":                           "",
		"I should be able to increase performance with threads.": "",
	} {
		r := Parse([]byte("# Odd numbers\n\n"+text+"\n"), Source{})
		var got []string
		for _, s := range r.Statements {
			if s.Kind == SaysRelation {
				got = append(got, string(s.Role)+" "+s.Relation)
			}
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		check(t, r)
	}
}

// A title complains: what it says comes is what should not.
func TestDirectionsOfTitles(t *testing.T) {
	for title, want := range map[string]string{
		"ECE drops with more bins":                      "not_falling",
		"Loss increases with every epoch":               "not_rising",
		"Accuracy correctly decreases with more noise":  "falling",
		"Memory grows with every call":                  "",
		"Regression: mAP gets lower for larger batches": "not_falling",
	} {
		r := Parse([]byte("# "+title+"\n\nSee the numbers.\n"), Source{})
		got := ""
		for _, s := range r.Statements {
			got += s.Relation
			if s.Where != "heading" {
				t.Errorf("%q stands in %q", title, s.Where)
			}
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
}

// A line that begins with a version states what that version gives.
func TestLabelledValues(t *testing.T) {
	head := "# rank is wrong\n\nWorks in tinynet 1.4.4, fails in 1.5.1.\n\n```python\nimport tinynet\nprint(tinynet.rank())\n```\n\n"
	for text, want := range map[string]string{
		"1.4.4: `[1.5, 1.5]`\n1.5.1: `[2.0, 1.0]`": "expected output prose: [1.5, 1.5]|actual output prose: [2.0, 1.0]",
		"tinynet 1.4.4: 3\ntinynet 1.5.1: 4":       "expected output prose: 3|actual output prose: 4",
		"1.4.4: took a while\n1.5.1: no idea":      "",
		"2.0.0: 7":                                 "",
	} {
		r := Parse([]byte(head+text+"\n"), Source{})
		var got []string
		for _, s := range r.Statements {
			got = append(got, string(s.Role)+" "+string(s.Kind)+" "+s.Where+": "+s.Text)
			if s.Version == nil {
				t.Errorf("%q is of no version", s.Text)
			}
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: got %q", text, got)
		}
		check(t, r)
	}
}
