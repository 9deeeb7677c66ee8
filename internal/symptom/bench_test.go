package symptom

import (
	"strings"
	"testing"
)

// BenchmarkHostileLogs reads 1 MiB of what costs most: the report's limit.
func BenchmarkHostileLogs(b *testing.B) {
	for name, unit := range map[string]string{
		"prose": "This is a line about nothing in particular, it has some words.\n", "pytest": "E   x\n\n",
		"frames": "  File \"a.py\", line 3, in f\n    g()\n", "headers": "Traceback (most recent call last):\n",
		"bare": "ValueError: x\n", "dots": "...\n", "info": "2024: I tensorflow/core/util/port.cc:113] oneDNN custom operations are on\n",
		"arrows": "--> 3 x\n", "cells": "Cell In[3], line 5\n", "one line": "x ", "faults": "Fatal Python error: Aborted\n",
	} {
		text := strings.Repeat(unit, (1<<20)/len(unit))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				FromText(text)
			}
		})
	}
}
