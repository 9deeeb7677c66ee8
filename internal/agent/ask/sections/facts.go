package sections

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/agent/task"
)

const (
	maxFacts      = 1500
	maxSignatures = 40
	// maxPackages of an environment are named: the subject pulls in more than
	// anybody needs to know.
	maxPackages = 40
)

// Facts are what the environment says of itself. The zero value gives an empty
// section.
func Facts(f task.Facts) ask.Section {
	var b strings.Builder
	if f.Python != "" {
		fmt.Fprintf(&b, "Python %s\n", f.Python)
	}
	if f.Subject != "" {
		fmt.Fprintf(&b, "Package under suspicion: %s %s\n", f.Subject, f.Version)
	}
	if len(f.Packages) > 0 {
		b.WriteString("Installed: " + installed(f.Packages) + "\n")
	}
	b.WriteString(Signatures(f.Signatures))
	return ask.Section{Name: "The environment in which the script will run", Text: b.String(), Priority: 2, Max: maxFacts}
}

func installed(all []task.Installed) string {
	var names []string
	for i, p := range all {
		if i == maxPackages {
			names = append(names, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		names = append(names, p.Name+" "+p.Version)
	}
	return strings.Join(names, ", ")
}

// Signatures are what exists and how it is called, one a line.
func Signatures(all []task.Signature) string {
	var b strings.Builder
	for _, s := range all[:min(len(all), maxSignatures)] {
		switch {
		case s.Unsure:
			fmt.Fprintf(&b, "%s could not be looked up: %s", s.Name, s.Why)
		case !s.Exists && s.Why != "":
			fmt.Fprintf(&b, "%s does not exist here: %s", s.Name, s.Why)
		case !s.Exists:
			fmt.Fprintf(&b, "%s does not exist here", s.Name)
		default:
			fmt.Fprintf(&b, "%s %s%s", s.Kind, s.Name, s.Signature)
		}
		if len(s.Near) > 0 {
			b.WriteString("; there is " + strings.Join(s.Near, ", "))
		}
		if s.Doc != "" {
			b.WriteString("  # " + s.Doc)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Missing are the names that do not exist.
func Missing(all []task.Signature) []task.Signature {
	return slices.DeleteFunc(slices.Clone(all), func(s task.Signature) bool { return s.Exists || s.Unsure })
}
