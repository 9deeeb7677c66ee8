//go:build ignore

// Prints rows for data/distributions.tsv from wheels, which a pip download
// --no-deps leaves: distribution, import names, no words.
package main

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
)

func main() {
	for _, path := range os.Args[1:] {
		z, err := zip.OpenReader(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		var files []string
		for _, f := range z.File {
			files = append(files, f.Name)
		}
		dist, _, _ := strings.Cut(filepath.Base(path), "-")
		dist = pydist.Normalize(dist)
		names := strings.Join(pydist.TopLevel(files), " ")
		if names == strings.ReplaceAll(dist, "-", "_") {
			names = "" // the table's short form
		}
		fmt.Printf("%s\t%s\t\n", dist, names)
		_ = z.Close()
	}
}
