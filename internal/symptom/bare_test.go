package symptom

import "testing"

// TestBareLines: the last line alone, told from a wish by what stands around it.
func TestBareLines(t *testing.T) {
	for _, c := range []struct {
		name, text     string
		kind           Kind
		class, message string
	}{
		{"a library's own lines below", "Answer:\n\n    2.0\n    3.1\n\n    ValueError: sizes differ (3, 1)\n    Apply node that caused the error: Elemwise{add}(x, y)\n", Exception, "ValueError", ""},
		{"a stack of C++ below", "We see\n2.0\n1.1\n1.0\n\nwidgets.base.WidgetError: [10:20:30] src/a.cc:3: Check failed: a == b\nStack trace:\n  [bt] (0) 1 libwidgets.so 0x1\n", Exception, "widgets.base.WidgetError", ""},
		{"the reporter goes on", "I got an error -\nValueError: sizes differ\nHere is the code I wrote -\nw = Widget(3)\n", Exception, "ValueError", "sizes differ"},
		{"the reporter goes on with a colon", "It fails with\nValueError: sizes differ\nMy code:\nw = Widget(3)\n", Exception, "ValueError", "sizes differ"},
		{"a second line of the library", "It fails with\nValueError: sizes differ:\nthe code of widget 3 is 7\n", Exception, "ValueError", "sizes differ:\nthe code of widget 3 is 7"},
		{"a quoted warning", `The model issues "UserWarning: X has no names" although it has.`, Warning, "UserWarning", "X has no names"},
		{"a warning in backticks", "Calling it twice prints `widgets.WidgetWarning: used twice` each time.", Warning, "widgets.WidgetWarning", "used twice"},
		{"a warning that is wished for", `It should give a "UserWarning: X has no names" here.`, "", "", ""},
		{"a class in a sentence", `Class names such as "UserWarning: text" are long.`, "", "", ""},
		{"a paragraph of its own", "**Describe the bug**\n`ValueError: sizes differ (3, 1)`\n\n**Code**\n", Exception, "ValueError", "sizes differ (3, 1)"},
		{"a paragraph below what is wished for", "### Expected behaviour\n\n`ValueError: sizes differ (3, 1)`\n\nThanks\n", "", "", ""},
		{"a private class", "Calling it raises `widgets._errors._NoLoopError: no loop for float32` since then.", Exception, "widgets._errors._NoLoopError", "no loop for float32"},
		{"an error that is wished for", "I would like\n\nValueError: sizes differ\nto be there, with the sizes.\n", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := FromText(c.text)
			checkSpans(t, c.text, found)
			if c.kind == "" {
				if len(found) > 0 {
					t.Fatalf("found %+v", found)
				}
				return
			}
			if len(found) != 1 || found[0].Kind != c.kind || found[0].Exception != c.class {
				t.Fatalf("found %+v", found)
			}
			if c.message != "" && found[0].Message != c.message {
				t.Errorf("message %q, want %q", found[0].Message, c.message)
			}
		})
	}
}
