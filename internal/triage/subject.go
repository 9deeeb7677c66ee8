package triage

import (
	"sort"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
)

// Weights of the signs that a distribution is the one under suspicion. They are
// guesses, tuned so that each of the measured reports names its subject first.
const (
	weightTracker  = 9 // the report was filed in its tracker
	weightContrast = 6 // one of its versions is called good or bad
	weightTitle    = 5
	weightCommon   = 1 // ... but nothing else speaks for it
	weightImport   = 4 // the script imports it
	weightQuoted   = 2 // `keras.ops.take` in the prose
	weightFrame    = 2 // the innermost library frame is its
	weightClass    = 7 // the exception is its own, raised where no frame of a library is
	weightStated   = 1 // its version is stated, not only listed
	weightFirst    = 1 // its version is stated first, or it is imported first
	// A platform is the subject only where nothing that is built on it is; the
	// ground (arrays, plots, packaging) hardly ever.
	weightPlatform = -4
	weightGround   = -6
	// Arrays are below the rest of the ground: who asks about a table or a
	// solver makes its input with them, and imports them first. More than what
	// the order of two imports says.
	weightArrays = -2
)

// platforms are built upon by most of what is reported beside them.
var platforms = setOf("torch", "jax", "jaxlib", "tensorflow", "tensorflow-cpu", "tensorflow-gpu",
	"scikit-learn", "gymnasium", "gym", "keras", "torchvision", "flax")

// ground is what nearly every script imports or every environment lists.
var ground = setOf("numpy", "scipy", "pandas", "matplotlib", "pillow", "protobuf", "six",
	"setuptools", "pip", "wheel", "tqdm", "pytest", "requests", "jaxlib", "typing-extensions",
	"ml-dtypes", "opencv-python", "seaborn", "joblib", "packaging", "pyyaml", "ipython", "cython",
	"python", "cuda", "cudnn", "python-dateutil", "pytz", "tzdata", "patsy", "threadpoolctl")

// onArrays are the parts of the ground that are themselves built on numpy and
// have a behaviour of their own to complain of.
var onArrays = setOf("scipy", "pandas", "opencv-python")

// suspect is one distribution with the signs for it.
type suspect struct {
	dist   string
	score  int
	weight int // of the strongest sign, which gives the source
	source string
	order  int
}

// suspects collects signs.
type suspects map[string]*suspect

func (s suspects) add(dist string, weight int, source string) {
	if dist == "" || dist == "python" {
		return
	}
	dist = pydist.Normalize(dist)
	got := s[dist]
	if got == nil {
		got = &suspect{dist: dist, order: len(s)}
		s[dist] = got
	}
	got.score += weight
	if weight > got.weight {
		got.weight, got.source = weight, source
	}
}

// subjectsOf ranks the distributions under suspicion, best guess first. Source
// says where the best one was found.
func subjectsOf(rd *reading) (names []string, source string) {
	names = []string{}
	if rd.opts.Subject != "" {
		names, source = append(names, pydist.Normalize(rd.opts.Subject)), "flag"
	}
	ranked := rankSuspects(rd)
	for _, s := range ranked {
		if len(names) == 0 || s.dist != names[0] {
			names = append(names, s.dist)
		}
		if source == "" {
			source = s.source
		}
	}
	return names, source
}

func rankSuspects(rd *reading) []*suspect {
	found := suspects{}
	stated := statedNames(rd.r)
	fromScript(rd, found, stated)
	fromVersions(rd, found)
	fromTitle(rd, found, stated)
	fromFrames(rd, found, stated)
	if strings.Contains(rd.r.Repo, "/") {
		fromTracker(rd, found, stated)
	}
	if rd.script.none() && !anyUpper(found) {
		fromAnywhere(rd, found)
	}
	if len(found) == 0 {
		fromDotted(rd, found)
	}
	if len(found) == 0 && rd.script.none() {
		fromSpelled(rd, found)
	}
	weigh(found)
	ranked := make([]*suspect, 0, len(found))
	for _, s := range found {
		ranked = append(ranked, s)
	}
	sort.Slice(ranked, func(i, j int) bool {
		if ranked[i].score != ranked[j].score {
			return ranked[i].score > ranked[j].score
		}
		return ranked[i].order < ranked[j].order
	})
	return ranked
}

// weigh lowers platforms and ground where something else is imported, or,
// without a script, named.
func weigh(found suspects) {
	upper, above := map[int]bool{}, false
	for _, s := range found {
		above = above || onArrays[s.dist] && s.weight >= weightImport
		if s.weight >= weightImport || s.source == "version" || s.source == "traceback" {
			upper[tier(s.dist)] = true
		}
	}
	for _, s := range found {
		switch t := tier(s.dist); {
		case t == 0 && (upper[1] || upper[2]):
			s.score += weightGround
		case t == 1 && upper[2]:
			s.score += weightPlatform
		case s.dist == "numpy" && above:
			s.score += weightArrays
		}
	}
}

func tier(dist string) int {
	switch {
	case ground[dist]:
		return 0
	case platforms[dist]:
		return 1
	}
	return 2
}
