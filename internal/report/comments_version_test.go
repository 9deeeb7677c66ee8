package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestResultsByVersion: comments that say what a print gives with which release
// are both sides of a claim, once it is known which release was installed.
func TestResultsByVersion(t *testing.T) {
	for _, c := range []struct{ name, comments, versions, want string }{
		{"ranges", "# With numpy >= 1.20.0 result = 0.5\n# With numpy < 1.20.0 result = 0.25", "numpy: 1.23.4", "actual 0.5 3, expected 0.25 3; good <1.20.0"},
		{"the other way round", "# numpy < 1.20.0 gives 0.25\n# numpy >= 1.20.0 gives 0.5", "numpy: 1.23.4", "actual 0.5 3, expected 0.25 3; good <1.20.0"},
		{"releases", "# numpy 1.19.5: 0.25\n# numpy 1.23.4: 0.5", "numpy: 1.23.4", "actual 0.5 3, expected 0.25 3; good 1.19.5"},
		{"another print is the same with both", "# numpy < 1.20.0 gives 0.25\n# numpy >= 1.20.0 gives 0.5\nprint(2)\n# numpy < 1.20.0 gives 2\n# numpy >= 1.20.0 gives 2", "numpy: 1.23.4", "actual 0.5 3, actual 2 6, expected 0.25 3, expected 2 6; good <1.20.0"},
		{"the same with both", "# numpy >= 1.20.0: 0.5\n# numpy < 1.20.0: 0.5", "numpy: 1.23.4", "; good "},
		{"nobody says which is installed", "# numpy >= 1.20.0: 0.5\n# numpy < 1.20.0: 0.25", "jax: 0.4.1", "; good "},
		{"two packages", "# numpy >= 1.20.0: 0.5\n# jax < 1.0.0: 0.25", "numpy: 1.23.4", "; good "},
		{"words and no value", "# numpy >= 1.20.0: needed for this\n# numpy < 1.20.0: never tried", "numpy: 1.23.4", "; good "},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Parse([]byte("# numpy: mean is odd\n\n```python\nimport numpy as np\n\nprint(np.mean(1))\n"+c.comments+"\n```\n\n### Versions\n\n```\n"+c.versions+"\nscipy: 1.9.1\n```\n"), Source{})
			check(t, r)
			var said, good []string
			for _, s := range r.Statements {
				if s.Where == "comment" {
					said = append(said, fmt.Sprintf("%s %s %d", s.Role, s.Text, s.Line))
				}
			}
			for _, v := range r.Versions {
				if v.Role == RoleGood {
					good = append(good, v.Spec)
				}
			}
			slices.Sort(said)
			if got := strings.Join(said, ", ") + "; good " + strings.Join(good, ", "); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}
