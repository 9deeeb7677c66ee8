package report

import "testing"

// TestSaidInWords: a form fences the reporter's words as well as the output.
func TestSaidInWords(t *testing.T) {
	r := Parse([]byte("# Area is larger than the box\n\n### Current behaviour?\n\n```shell\nA bug happened!\nArea is larger than the box\nThe function returns a wrong value when the box is flat.\nArea of the box: 4.5\nTraining finished without any warning.\n```\n\n### Standalone code\n\n```shell\nimport widgets\nprint(widgets.area(2))\n```\n"), Source{})
	check(t, r)
	var got []string
	for _, s := range r.Statements {
		if s.Kind == SaysOutput {
			got = append(got, s.Text)
		}
	}
	if len(got) != 2 || got[0] != "Area of the box: 4.5" || got[1] != "Training finished without any warning." {
		t.Errorf("stated output %q", got)
	}
}
