package codebase

// Weights of the terms that are added to a fused score, which is 0 to 1. Each
// is guessed from what it stands for and checked on reports whose place is
// known (docs/retrieval.md prints what switching them off costs).
const (
	// frameWeight puts the innermost frame of the project, with the little that
	// words and vectors mostly give it too, before what they think best of all;
	// the frames around it compete.
	frameWeight = 0.8
	// nameWeight is for a definition whose name the report writes.
	nameWeight = 0.2
	// fileWeight is for the chunks of a file that the report names in its prose
	// ("the bug is in pond/core/fit.py").
	fileWeight = 0.3
	// reexport is taken from the module code of an __init__.py: it lists every
	// name of its package and holds no behaviour. Left out of the ranking, such
	// chunks raised recall@20 by words from .80 to .90 on ten fixes of keras and
	// changed nothing on ten of torchmetrics; they stay findable, so the weight
	// only moves them down (guess).
	reexport = -0.3
	// aside is taken from what only uses the package of a library: examples,
	// benchmarks, documentation, tools. Their code calls what a report names more
	// than the code that holds the bug does. On ten fixes of keras it raised the
	// reciprocal rank from .495 to .555 by words and from .493 to .571 with static
	// vectors, and recall@20 by words from .80 to .90; on ten of torchmetrics,
	// which has few such files, nothing changed.
	aside = -0.3
	// twin is taken from a definition that has its namesake in another file
	// before it. Found while looking at the ten fixes of keras (recall@5 of the
	// hybrid .533 to .633, one fix); neutral on ten of torchmetrics and on 446
	// messages of fixes of both (recall@5 by words .748 to .751, @20 .894 to .892).
	twin = -0.1
	// staticAlpha is the share of the static vectors, which are far weaker than a
	// model's: of 0, .1, .2, .3, .4 and .55 it gave recall@5 / recall@20 of .642 /
	// .838 on twenty fixes (.629 / .788 by words alone, .562 / .738 with the share
	// of a model), and the 256 chunks it chooses held every changed file.
	staticAlpha = 0.2
	// foreignName is how much a name of another package counts in the lexical
	// search beside one of this project ("numpy.ones" leads up to the bug).
	foreignName = 0.3
)
