package pysyntax

// IsPython says whether text looks like Python source rather than a log,
// printed output, a shell session or prose.
func IsPython(text string) bool { return Score(text) >= 0.5 }

// Score is between 0 (no Python) and 1.
func Score(text string) float64 { return 0 }

// IsPython2Print says whether text holds a print statement of Python 2.
func IsPython2Print(text string) bool { return Parse(text).Python2Print }
