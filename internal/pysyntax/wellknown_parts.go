package pysyntax

import (
	"regexp"
	"slices"
	"strings"
)

// parts are the modules that a package does not bring along by itself, in its
// releases so far or in older ones: whoever writes "scipy.stats.norm" has
// imported them somewhere.
var parts = map[string][]string{
	"scipy": {
		"cluster.hierarchy", "cluster.vq", "constants", "fft", "fftpack", "integrate", "interpolate", "io.wavfile", "io",
		"linalg.blas", "linalg.lapack", "linalg", "ndimage", "odr", "optimize", "signal.windows", "signal",
		"sparse.csgraph", "sparse.linalg", "sparse", "spatial.distance", "spatial.transform", "spatial",
		"special", "stats.mstats", "stats.qmc", "stats",
	},
	"sklearn": {
		"calibration", "cluster", "compose", "covariance", "cross_decomposition", "datasets", "decomposition",
		"discriminant_analysis", "dummy", "ensemble", "feature_extraction.text", "feature_extraction",
		"feature_selection", "gaussian_process.kernels", "gaussian_process", "impute", "inspection", "isotonic",
		"kernel_approximation", "kernel_ridge", "linear_model", "manifold", "metrics.pairwise", "metrics", "mixture",
		"model_selection", "multiclass", "multioutput", "naive_bayes", "neighbors", "neural_network", "pipeline",
		"preprocessing", "random_projection", "semi_supervised", "svm", "tree", "utils.estimator_checks", "utils",
	},
	"matplotlib": {"animation", "cm", "colors", "dates", "patches", "pyplot", "ticker", "transforms"},
}

// withParts imports the parts that the source uses, which binds the package too.
func withParts(name, statement, src string) string {
	if statement != "import "+name || parts[name] == nil {
		return statement
	}
	var used []string
	for _, part := range parts[name] {
		if !strings.Contains(src, name+"."+part+".") {
			continue
		}
		// A longer one brings along what it lies in.
		brought := slices.ContainsFunc(used, func(u string) bool { return strings.HasPrefix(u, name+"."+part+".") })
		if !brought && regexp.MustCompile(`(?:^|[^\w.])`+name+`\.`+regexp.QuoteMeta(part)+`\.\w`).MatchString(src) {
			used = append(used, name+"."+part)
		}
	}
	if len(used) == 0 {
		return statement
	}
	slices.Sort(used)
	return "import " + strings.Join(used, ", ")
}
