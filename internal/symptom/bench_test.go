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
		"workers": "ValueError: Caught ValueError in DataLoader worker process 0.\nOriginal Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n",
		"nodes":   "Traceback (most recent call last):\nXError: Graph execution error:\n\nDetected at node x defined at (most recent call last):\n  File \"a.py\", line 3, in f\n\n",
		"wrapped": "Traceback (most recent call last):\nValueError: Exception encountered when calling x\n\nin user code:\n\n",
		"stacks":  "Timeout (0:00:01)!\nThread 0x01 (most recent call first):\n  File \"a\", line 3 in f\n",
		"spies":   "Thread 1 (idle): \"MainThread\"\n    f (a.py:3)\n", "quotes": "> Traceback (most recent call last):\n> x\n", "colours": "[31mx[0m\n",
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

// BenchmarkProse reads 1 MiB of what people write, and of what they do not.
func BenchmarkProse(b *testing.B) {
	for name, unit := range map[string]string{
		"plain":    "I built the package from source and ran the example of the manual on my laptop.\n",
		"symptoms": "The loss becomes NaN, memory grows, it hangs and the results are wrong on every run. ",
		"one word": "nan ", "no end": "the value of the result is not ", "letters": "x", "stops": ". ",
		"lines": "\n", "items": "- a\n", "fences": "```\n", "gradient": "gradient is gradient ", "not": "not not ",
	} {
		text := strings.Repeat(unit, (1<<20)/len(unit))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				FromProse(text)
			}
		})
	}
}

// BenchmarkCompare compares a long message with itself.
func BenchmarkCompare(b *testing.B) {
	s := one(b, kerasLog)
	s.Message = "Input 0 of layer \"dense_1\" is incompatible with the layer: expected axis -1 of input shape to have value 3, but received input with shape (None, 5) at <tensorflow.python.Tensor object at 0x7f1122>"
	for b.Loop() {
		Compare(s, s)
	}
}
