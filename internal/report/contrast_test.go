package report

import "testing"

// contrasts are the ways in which reporters say which version is fine and which
// is not. Each sentence stands under a title with a script that imports
// tinynet, a package that no list of names knows.
var contrasts = []struct {
	text string
	want []string // "dist spec kind role"
	no   []string
}{
	{"With tinynet 1.2 I get this, 1.0 was fine:", []string{"tinynet 1.2 partial bad", "tinynet 1.0 partial good"}, nil},
	{"I use tinynet 1.2.0. It worked with 1.1.4.", []string{"tinynet 1.2.0 exact stated", "tinynet 1.1.4 exact good"}, nil},
	{"I use tinynet 1.2.0. In 1.1.4 it returned -0.0.", []string{"tinynet 1.2.0 exact stated", "tinynet 1.1.4 exact good"}, nil},
	{"tinynet 2.3.1 returns 0.0 here. In 2.2.2 it returned -0.0.", []string{"tinynet 2.3.1 exact stated", "tinynet 2.2.2 exact good"}, nil},
	{"tinynet 2.3.1 prints 5. Version 2.2.2 printed 4.", []string{"tinynet 2.3.1 exact stated", "tinynet 2.2.2 exact good"}, nil},
	{"tinynet 2.3.1 prints 5. 2.2.2 used to print 4.", []string{"tinynet 2.2.2 exact good"}, nil},
	{"I run tinynet 0.6. Worked with 0.4.", []string{"tinynet 0.6 partial stated", "tinynet 0.4 partial good"}, nil},
	{"I run tinynet 2.2, on 2.1 it was fine.", []string{"tinynet 2.2 partial stated", "tinynet 2.1 partial good"}, []string{"tinynet 2.2 partial good"}},
	{"I am on tinynet 1.4. This used to work in 1.3.", []string{"tinynet 1.4 partial stated", "tinynet 1.3 partial good"}, nil},
	{"Since 2.0 the loss of tinynet is nan.", []string{"tinynet 2.0 partial bad"}, nil},
	{"Since 2.0.0 the loss is nan.", []string{"tinynet 2.0.0 exact bad"}, nil},
	{"I see it with tinynet 1.5.0; it is a regression from 1.4.1.", []string{"tinynet 1.5.0 exact bad", "tinynet 1.4.1 exact good"}, nil},
	{"This is a regression from 1.4.1 to 1.5.0.", []string{"tinynet 1.4.1 exact good", "tinynet 1.5.0 exact bad"}, nil},
	{"This is a regression in 1.5.0.", []string{"tinynet 1.5.0 exact bad"}, nil},
	{"It broke in 3.2.", []string{"tinynet 3.2 partial bad"}, nil},
	{"This broke between 3.1.0 and 3.2.0.", []string{"tinynet 3.1.0 exact good", "tinynet 3.2.0 exact bad"}, nil},
	{"tinynet 2.0.1. The last working version is 1.9.", []string{"tinynet 1.9 partial good"}, nil},
	{"tinynet 2.0.1. Last working version: 1.9.2", []string{"tinynet 1.9.2 exact good"}, nil},
	{"tinynet 2.0.1. Last good release was 1.9.2.", []string{"tinynet 1.9.2 exact good"}, nil},
	{"The first bad version is 2.0.0, 1.9.9 is good.", []string{"tinynet 2.0.0 exact bad", "tinynet 1.9.9 exact good"}, nil},
	{"- reproduced with latest version `tinynet==0.8.2`\n- reproduced with `tinynet==0.7.2`\n- NOT reproducible with `tinynet==0.7.1` and earlier versions",
		[]string{"tinynet 0.8.2 exact bad", "tinynet 0.7.2 exact bad", "tinynet 0.7.1 exact good"}, nil},
	{"With tinynet 3.3.3, I'm getting the expected outcome:\n`[False  True]`\n\nHowever, tinynet 3.4.1 gives this:\n`[ True  True]`",
		[]string{"tinynet 3.3.3 exact good"}, []string{"tinynet 3.4.1 exact good"}},
	{"I encountered this after upgrading to the latest version. It was fine when I was using tinynet 0.1.59.", []string{"tinynet 0.1.59 exact good"}, nil},
	{"Exactly the same environment works fine when downgrading to tinynet 0.4.26.", []string{"tinynet 0.4.26 exact good"}, nil},
	{"When I switch to tinynet 0.2.3, the error goes away.", []string{"tinynet 0.2.3 exact good"}, nil},
	{"tinynet 1.7.0 is affected, not 1.6.2.", []string{"tinynet 1.7.0 exact bad", "tinynet 1.6.2 exact good"}, nil},
	{"I have tinynet 1.7.0 (1.6.2 OK).", []string{"tinynet 1.6.2 exact good"}, nil},
	{"Not in 1.6.2, only in tinynet 1.7.0.", []string{"tinynet 1.6.2 exact good"}, []string{"tinynet 1.7.0 exact good"}},
	{"tinynet version or commit hash: 4.2.0", []string{"tinynet 4.2.0 exact stated"}, nil},
	{"tinynet 1.2.0, numpy 1.26.4. With numpy 1.25.2 it was fine.", []string{"numpy 1.25.2 exact good", "tinynet 1.2.0 exact stated"}, nil},
	{"tinynet 1.2.0 fails with numpy 2.0.0. I needed to downgrade my version of numpy from 2.0.0 to 1.26.4 and it works.",
		[]string{"numpy 1.26.4 exact good"}, []string{"tinynet 1.26.4"}},
	{"### Which versions are affected?\n\ntinynet version:\n * reproduced with latest version `tinynet==0.8.2`\n * NOT reproducible with `tinynet==0.7.1` and earlier versions",
		[]string{"tinynet 0.8.2 exact bad", "tinynet 0.7.1 exact good"}, nil},
	{"It worked before tinynet 2.0.", []string{"tinynet <2.0 range good"}, []string{"tinynet 2.0 partial good"}},
	{"I use tinynet 2.1.0. Before 2.0.0 it was fine.", []string{"tinynet <2.0.0 range good"}, []string{"tinynet 2.0.0 exact good"}},
	{"tinynet 0.7.2 fails. It was fixed when `pip install --upgrade tinynet` installed `0.8.*`.", []string{"tinynet 0.8 partial good"}, nil},
	// What must not be read as good.
	{"I use tinynet 1.2.0. In 1.1.4 it was wrong as well.", nil, []string{"tinynet 1.1.4 exact good"}},
	{"I use tinynet 1.2.0. In 1.1.4 it also returned -0.0.", nil, []string{"tinynet 1.1.4 exact good"}},
	{"I use tinynet 1.2.0. The same happened in 1.1.4.", nil, []string{"tinynet 1.1.4 exact good"}},
	{"I use tinynet 1.2.0. It was already broken in 1.1.4.", nil, []string{"tinynet 1.1.4 exact good"}},
	{"I use tinynet 1.2.0. Tested with 1.1.4 too, it gave the same result.", nil, []string{"tinynet 1.1.4 exact good"}},
	{"I use tinynet 1.2.0. In 1.3.0 it returned -0.0.", nil, []string{"tinynet 1.3.0 exact bad"}},
	{"The loss was 1.25 and it should be 1.0.", nil, []string{"tinynet"}},
	{"tinynet 1.2.0 prints 0.5, it was 0.7 before.", nil, []string{"tinynet 0.7", "tinynet 0.5"}},
	{"With lr 0.1 it was fine, with 0.5 it fails.", nil, []string{"tinynet"}},
	{"I use tinynet 1.2.0. With a momentum of 1.0 it was fine.", nil, []string{"tinynet 1.0 "}},
}

// TestContrastsOfTitles asserts roles of versions in a title.
func TestContrastsOfTitles(t *testing.T) {
	for title, want := range map[string]string{
		"loss raises ValueError in v0.14.1, while works in v0.13.1": "tinynet 0.13.1 exact good",
		"REGR: Assertion error in 1.2.1 but not 1.0.5":              "tinynet 1.0.5 exact good",
		"Wrong loss (regression from tinynet 3.3.3)":                "tinynet 3.3.3 exact good",
		"Frequent crashes with v0.4.28":                             "tinynet 0.4.28 exact bad",
	} {
		r := Parse([]byte("# "+title+"\n\nSee above.\n\n```python\nimport tinynet\nprint(tinynet.loss())\n```\n"), Source{})
		checkKeys(t, "version", versionKeys(r), []string{want}, nil)
	}
}

// TestBeforeAndAfter asserts the sides of outputs that two releases print.
func TestBeforeAndAfter(t *testing.T) {
	r := Parse([]byte("# Keys are tuples\n\n```python\nimport tinynet\nprint(tinynet.key())\n```\n\nBefore 2.0:\n```\n1\n```\n\nAfter 2.0:\n```\n(1,)\n```\n"), Source{})
	checkKeys(t, "statement", statementKeys(r), []string{"expected output block: 1", "actual output block: (1,)"}, nil)
	checkKeys(t, "version", versionKeys(r), []string{"tinynet 2.0 partial bad", "tinynet <2.0 range good"}, nil)
}

// TestContrasts asserts the role of every version in them.
func TestContrasts(t *testing.T) {
	for _, c := range contrasts {
		t.Run(c.text, func(t *testing.T) {
			r := Parse([]byte("# Loss is wrong\n\n"+c.text+"\n\n```python\nimport tinynet\nprint(tinynet.loss())\n```\n"), Source{})
			checkKeys(t, "version", versionKeys(r), c.want, c.no)
		})
	}
}
