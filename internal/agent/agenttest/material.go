package agenttest

import (
	"fmt"
	"strings"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/codebase/chunk"
	"github.com/repgen/repgen/internal/codebase/loops"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/symptom"
)

// Crash is a report with a traceback, of a library that does not exist.
const Crash = `# resample() crashes when a cell has no point

### What happened

gridlib.resample() raises IndexError as soon as one cell has no point. With
` + "`method=\"mean\"`" + ` it is fine, with ` + "`method=\"nearest\"`" + ` it crashes.

### Steps

` + "```python" + `
import numpy as np
import gridlib

points = load_soundings("survey-2024.nc")  # 40 GB
cells = gridlib.assign(points, n_cells=37)
out = gridlib.resample(points, cells, method="nearest", radius=0.25)
` + "```" + `

` + "```" + `
Traceback (most recent call last):
  File "survey.py", line 6, in <module>
    out = gridlib.resample(points, cells, method="nearest", radius=0.25)
  File "/usr/lib/python3/site-packages/gridlib/resample.py", line 41, in resample
    return _nearest(points, cells)
  File "/usr/lib/python3/site-packages/gridlib/resample.py", line 88, in _nearest
    return rows[0]
IndexError: index 0 is out of bounds for axis 0 with size 0
` + "```" + `

### Expected behavior

A cell without points gives NaN, as the documentation of resample() says.

### Versions

gridlib 1.4.2, numpy 1.26.4, Python 3.11
`

// Silent is a report of a wrong value, without a log.
const Silent = `# resample loses the last row

gridlib.resample(np.ones((5, 3)), factor=2) gives shape (8, 3), the last row is
missing.

It should give shape (10, 3), twice the rows of the input.

gridlib 1.4.2, Python 3.11
`

// Facts are of an environment that does not exist.
func Facts() task.Facts {
	return task.Facts{
		Python: "3.11.9", Subject: "gridlib", Version: "1.4.2",
		Packages: []task.Installed{{Name: "gridlib", Version: "1.4.2"}, {Name: "numpy", Version: "1.26.4"}},
		Signatures: []task.Signature{
			{Name: "gridlib.resample", Exists: true, Kind: "function", Signature: "(points, cells, method='mean', radius=1.0)", Doc: "Resample points to cells."},
			{Name: "gridlib.regrid", Near: []string{"gridlib.resample"}},
		},
	}
}

// Expectation is what Crash should show.
func Expectation() *oracle.Expectation {
	return &oracle.Expectation{
		Oracle:  oracle.OracleException,
		Subject: "gridlib",
		Symptom: symptom.Symptom{
			Kind: symptom.Exception, Exception: "IndexError", Message: "index 0 is out of bounds for axis 0 with size 0",
			Frames: []symptom.Frame{
				{File: "survey.py", Where: "script", Function: "<module>"},
				{File: "gridlib/resample.py", Package: "gridlib", Where: "library", Function: "_nearest"},
			},
		},
	}
}

// Module is code of about tokens estimated tokens.
func Module(tokens int) *codebase.Module {
	m := &codebase.Module{Path: "gridlib/resample.py", Score: 1, Loop: &codebase.LoopText{
		Loop: loops.Loop{Path: "gridlib/resample.py", StartLine: 20, EndLine: 24},
		Text: "for batch in loader:\n    loss = model(batch)\n    loss.backward()\n    optimizer.step()\n",
	}}
	const each = 250
	for i := range max(tokens/each, 1) {
		var b strings.Builder
		fmt.Fprintf(&b, "def _part_%d(points, cells, radius):\n", i)
		for k := range 20 {
			fmt.Fprintf(&b, "    rows_%d = points[cells == %d][:radius]  # step\n", k, k)
		}
		m.Chunks = append(m.Chunks, codebase.ChunkText{
			Hit:  codebase.Hit{Chunk: chunk.Chunk{Path: m.Path, Name: fmt.Sprintf("_part_%d", i), StartLine: 30 * i, EndLine: 30*i + 21}},
			Text: b.String(), Cut: i%3 == 2,
		})
	}
	return m
}

// Plan is a plan for Crash.
func Plan() *task.Plan {
	return &task.Plan{
		Steps: []task.Step{
			{Do: "make three points in two of three cells", Values: "points (3, 2) float64, cells [0, 0, 2]"},
			{Do: "call gridlib.resample", Values: `method="nearest", radius=0.25`, Shows: "IndexError in _nearest"},
		},
		Names: []string{"gridlib.resample"}, Trigger: "a cell without points",
	}
}
