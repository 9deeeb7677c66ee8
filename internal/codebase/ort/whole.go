package ort

import (
	"debug/elf"
	"fmt"
	"os"
	"runtime"
)

// whole looks whether a library can be loaded without harm: the system's loader
// maps what the file's head promises, and touching what a file that was cut
// short does not hold ends the process. Only ELF is looked into; other systems'
// loaders check more themselves.
func whole(library string) error {
	if runtime.GOOS != "linux" {
		return nil
	}
	info, err := os.Stat(library)
	if err != nil {
		return err
	}
	f, err := elf.Open(library)
	if err != nil { // the table of sections stands at the end
		return fmt.Errorf("it is no shared library, or was cut short: %w", err)
	}
	defer func() { _ = f.Close() }() // only read from
	if f.Type != elf.ET_DYN {
		return fmt.Errorf("it is no shared library (%s)", f.Type)
	}
	for _, p := range f.Progs {
		if size := uint64(info.Size()); p.Off > size || p.Filesz > size-p.Off {
			return fmt.Errorf("it was cut short: it has %d bytes", size)
		}
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return fmt.Errorf("it is no onnxruntime: %w", err)
	}
	for i := range symbols {
		if symbols[i].Name == entry {
			return nil
		}
	}
	return fmt.Errorf("it is no onnxruntime: it has no %s", entry)
}

// entry is the one function that every onnxruntime exports.
const entry = "OrtGetApiBase"
