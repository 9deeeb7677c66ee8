package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
)

// cell is a cell of nbformat 4, or of nbformat 3 (input).
type cell struct {
	Type   string     `json:"cell_type"`
	Source stringList `json:"source"`
	Input  stringList `json:"input"`
}

// stringList is a string, or a list of strings that are one text.
type stringList string

func (s *stringList) UnmarshalJSON(b []byte) error {
	var lines []string
	if json.Unmarshal(b, &lines) == nil {
		*s = stringList(strings.Join(lines, ""))
		return nil
	}
	return json.Unmarshal(b, (*string)(s))
}

type notebookFile struct {
	Cells      []cell `json:"cells"`
	Worksheets []struct {
		Cells []cell `json:"cells"`
	} `json:"worksheets"`
	Metadata struct {
		Kernel struct {
			Language string `json:"language"`
		} `json:"kernelspec"`
		Language struct {
			Name string `json:"name"`
		} `json:"language_info"`
	} `json:"metadata"`
}

// notebook joins the code cells of an .ipynb, an empty line between them. Lines
// of the notebook's shell (%magic, !command, name?) become comments, so that
// every line of a cell stays a line. language is what the notebook says it is
// in, "" where it does not say.
func notebook(b []byte) (code []byte, language string, err error) {
	var nb notebookFile
	if err := json.Unmarshal(b, &nb); err != nil {
		return nil, "", fmt.Errorf("read notebook: %w", err)
	}
	language = strings.ToLower(nb.Metadata.Language.Name)
	if language == "" {
		language = strings.ToLower(nb.Metadata.Kernel.Language)
	}
	for _, w := range nb.Worksheets {
		nb.Cells = append(nb.Cells, w.Cells...)
	}
	if nb.Cells == nil {
		return nil, language, errors.New("read notebook: it has no cells")
	}
	var out strings.Builder
	for _, c := range nb.Cells {
		if text := string(c.Source + c.Input); c.Type == "code" && strings.TrimSpace(text) != "" {
			if out.Len() > 0 {
				out.WriteByte('\n')
			}
			writeCell(&out, strings.TrimSuffix(text, "\n"))
		}
	}
	return []byte(strings.ToValidUTF8(out.String(), string(replacement))), language, nil
}

// pythonCells are cell magics whose cell is Python still (source: IPython's
// documentation of its built-in magics).
var pythonCells = map[string]bool{
	"time": true, "timeit": true, "capture": true, "prun": true, "python": true, "python3": true,
	"pypy": true, "debug": true, "memit": true, "mprun": true,
}

func writeCell(out *strings.Builder, text string) {
	lines := strings.Split(text, "\n")
	if magic, ok := strings.CutPrefix(strings.TrimLeft(lines[0], " \t"), "%%"); ok {
		name, _, _ := strings.Cut(strings.TrimSpace(magic), " ")
		if !pythonCells[name] {
			for _, l := range lines {
				out.WriteString("# " + l + "\n")
			}
			return
		}
	}
	var reader pysyntax.LineReader
	for _, l := range lines {
		if !reader.Inside() {
			l = shellLine(l)
		}
		reader.Read(l)
		out.WriteString(l + "\n")
	}
}

// shellLine makes Python of a line that begins a statement: a comment of a
// magic, a "pass" with a comment where it may be all that a block has.
func shellLine(line string) string {
	text := strings.TrimLeft(line, " \t")
	indent := line[:len(line)-len(text)]
	shell := strings.HasPrefix(text, "%") || strings.HasPrefix(text, "!") || strings.HasPrefix(text, "?")
	if !shell {
		code, _, _ := strings.Cut(text, "#")
		shell = strings.HasSuffix(strings.TrimSpace(code), "?") && !strings.ContainsAny(code, `"'`)
	}
	if shell && indent == "" {
		return "# " + text
	}
	if shell {
		return indent + "pass  # " + text
	}
	for _, sign := range []string{"!", "%"} { // files = !ls
		name, command, found := strings.Cut(text, "= "+sign)
		if found && !strings.ContainsAny(name, "\"'#=(") && command != "" && command[0] != '=' {
			return indent + name + "= None  # " + sign + command
		}
	}
	return line
}
