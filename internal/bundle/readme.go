package bundle

import (
	"fmt"
	"strings"
	"text/template"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system/inert"
)

// readmeText is one screen for a stranger who was sent the folder.
var readmeText = template.Must(template.New("readme").Funcs(template.FuncMap{"plain": inert.Markdown, "line": inert.Line, "words": func(s string) string { return strings.ReplaceAll(s, "_", " ") }}).Parse(`# Bug report: {{plain .Title}}

**{{.Headline}}**{{if .Grade}}, grade {{.Grade}}{{end}}: {{if .Unjudged}}{{.R.Runs}} executions, recorded and not judged{{else}}the symptom came in {{.R.Hits}} of {{.R.Runs}} executions{{if .R.Runs}} (95 % interval {{printf "%.2f" .Low}}-{{printf "%.2f" .High}}){{end}}{{end}}{{if .R.Subject.Name}}, {{plain .R.Subject.Name}} {{plain .R.Subject.Version}}{{end}}.

| package | version | side | symptom | hits |
|---|---|---|---|---|
{{range .R.Versions}}| {{plain .Package}} | {{plain .Version}} | {{plain (words .Side)}}{{if .Change}}: {{plain .Change}}{{end}} | {{.Symptom}} | {{.Hits}} of {{.Runs}} |
{{end}}
{{range .Reasons}}- {{plain .}}
{{end}}
## Run it again

    uv run reproduce.py        # the script alone, in its own environment
{{if .Own}}    uv run reproduce.py --control   # the same, {{line .Own}}
{{end}}    repgen verify .            # every execution, compared with the records here

Environment: Python {{plain .Python}}, packages as of {{plain .AsOf}} ({{plain .AsOfSource}}); exact versions in requirements.lock.
{{if .Project}}{{plain .Project}}
{{end}}{{if .Edits}}
The script differs from the report's text by these edits:
{{range .Edits}}- {{plain .Kind}}: {{plain .Why}}
{{end}}{{end}}
## Files

report.md the report; reproduce.py the script; candidate.json where it comes from, with every edit; requirements.lock the environment; oracle.json the expected symptom as data; executions/ what each execution did;{{if .Controls}} controls/ the same script with one change each;{{end}}{{if .Audited}} audit/ what the script asked and was told on two sides, with a recorder in it;{{end}} evidence.json what they showed; verdict.json the result; manifest.json a SHA-256 of every file.
`))

// readmeReasons is how many reasons fit on one screen.
const readmeReasons = 6

func readme(c Content) string {
	r := c.Result
	data := struct {
		*proofView
		R *proof.Result
	}{&proofView{
		Title: c.Report.Title, Headline: string(r.Headline), Grade: string(r.Grade),
		Low: r.Interval[0], High: r.Interval[1], Reasons: r.Reasons,
	}, r}
	if len(data.Reasons) > readmeReasons {
		data.Reasons = data.Reasons[:readmeReasons]
	}
	if e := r.Environment; e != nil {
		data.Python, data.AsOf, data.AsOfSource = e.Python, e.AsOf, e.AsOfSource
	}
	data.Project, data.Controls, data.Own = projectLine(c), scriptNames(c.Outcome) != nil, ownControl(c)
	data.Unjudged = c.Outcome.Expectation != nil && c.Outcome.Expectation.Oracle == oracle.OracleNone && r.Runs > 0
	data.Audited = c.Outcome.Evidence.Audit != nil
	for _, e := range r.Edits {
		data.Edits = append(data.Edits, editLine{e.Kind, e.Why})
	}
	var b strings.Builder
	if err := readmeText.Execute(&b, data); err != nil {
		return fmt.Sprintf("# Bug report: %s\n\n%s\n", inert.Markdown(c.Report.Title), r.Headline)
	}
	return b.String()
}

// proofView holds what the template needs beside the result.
type proofView struct {
	Title, Headline, Grade   string
	Low, High                float64
	Reasons                  []string
	Python, AsOf, AsOfSource string
	Edits                    []editLine
	Project                  string
	Controls, Audited        bool
	Unjudged                 bool   // nothing in the report can be judged
	Own                      string // what the script's own control leaves out
}

// ownControl is what the control that the script's author wrote changes, "" when
// there is none.
func ownControl(c Content) string {
	for _, g := range c.Outcome.Evidence.Groups {
		if g.Side == oracle.SideAuthored {
			return g.Change
		}
	}
	return ""
}

type editLine struct{ Kind, Why string }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
