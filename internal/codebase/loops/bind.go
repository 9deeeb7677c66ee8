package loops

import (
	"slices"
	"strings"
)

// How sure it is that a name is what a rule wants. The steps are guesses; only
// their order matters for the ranking.
const (
	bySource = 1.0 // its making was seen in this module
	byName   = 0.7 // named so, and the framework is imported
	byGuess  = 0.4 // named so, nothing else known
	notIt    = 0.0
)

// binding is how sure a receiver is what a rule wants, and why.
type binding struct {
	sure float64
	why  string
}

// torchTops are packages whose users train with torch.
var torchTops = []string{
	"torch", "pytorch_lightning", "lightning", "accelerate", "transformers", "torchvision", "fastai", "deepspeed",
	"torch_geometric", "timm", "ignite", "torchmetrics", "lightning_fabric", "apex", "oneflow", "jittor", "paddle", "mindspore",
}

// kerasTops are packages that bring Keras or TensorFlow.
var kerasTops = []string{"keras", "tensorflow", "tf_keras", "keras_core", "tensorflow_addons", "keras_cv", "keras_nlp", "keras_hub", "tflearn", "tf"}

// jaxTops are packages that bring JAX.
var jaxTops = []string{"jax", "optax", "flax", "haiku", "equinox", "keras_core", "objax", "brax"}

// optimizerClasses are the last names of what makes an optimizer, in any of the
// frameworks (sources: the members of torch.optim, keras.optimizers, tf.train).
var optimizerClasses = map[string]bool{
	"SGD": true, "Adam": true, "AdamW": true, "Adamax": true, "NAdam": true, "RAdam": true, "Nadam": true, "Adagrad": true,
	"Adadelta": true, "RMSprop": true, "Rprop": true, "LBFGS": true, "ASGD": true, "SparseAdam": true, "Adafactor": true,
	"Ftrl": true, "Lion": true, "Lamb": true, "LAMB": true, "LARS": true, "Muon": true, "AdaBound": true,
	"AdamOptimizer": true, "GradientDescentOptimizer": true, "MomentumOptimizer": true, "RMSPropOptimizer": true,
	"AdagradOptimizer": true, "AdadeltaOptimizer": true, "FtrlOptimizer": true, "ProximalAdagradOptimizer": true,
	"SyncReplicasOptimizer": true, "Optimizer": true, "LossScaleOptimizer": true, "AcceleratedOptimizer": true,
}

// notOptimizers are words in the names of things that also have a step.
var notOptimizers = []string{
	"sched", "lr_", "warmup", "env", "plt", "ax", "prof", "pbar", "timer", "counter", "sim", "ema", "game", "world",
	"clock", "debug", "stepper", "swa", "annealer", "logger", "progress",
}

// last is the part after the last dot.
func last(dotted string) string { return dotted[strings.LastIndexByte(dotted, '.')+1:] }

// plainName is the last name of a receiver, lower case, without brackets:
// "self.optimizers[0]" is "optimizers".
func plainName(receiver string) string {
	if i := strings.IndexAny(receiver, "[("); i >= 0 {
		receiver = receiver[:i]
	}
	return strings.ToLower(last(receiver))
}

// base is a receiver without subscripts and calls.
func base(receiver string) string {
	if i := strings.IndexAny(receiver, "[("); i >= 0 {
		return receiver[:i]
	}
	return receiver
}

// optimizer says whether a receiver is an optimizer.
func (f *facts) optimizer(c *call) binding {
	name := plainName(c.Receiver)
	if made := f.resolve(base(c.Receiver)); optimizerClasses[last(made)] && strings.HasSuffix(c.Receiver, ")") {
		return binding{bySource, "of " + made}
	}
	if o, ok := f.originOf(base(c.Receiver), c.Statement); ok && o.full != "" {
		switch made := last(o.full); {
		case optimizerClasses[made], strings.HasSuffix(made, "Optimizer"), made == "optimizers", strings.HasPrefix(o.full, "torch.optim.") && !strings.Contains(o.full, "lr_scheduler"):
			return binding{bySource, base(c.Receiver) + " is " + o.full + " (line " + itoa(o.line) + ")"}
		case strings.Contains(strings.ToLower(o.full), "sched"), strings.HasPrefix(o.full, "gym"):
			return binding{} // known to be something else, whatever it is called
		}
	}
	// Short words count as parts of a name only, so that "max" is not an axis.
	for _, word := range notOptimizers {
		if strings.HasPrefix(name, word) || strings.HasSuffix(name, "_"+word) || len(word) > 3 && strings.Contains(name, word) {
			return binding{}
		}
	}
	if strings.Contains(name, "optim") && name != "optimize" || name == "opt" || strings.HasPrefix(name, "opt_") ||
		strings.HasSuffix(name, "_opt") || name == "trainer" && f.tops["mxnet"] || strings.HasPrefix(name, "optg") || strings.HasPrefix(name, "optd") {
		return f.named(c.Receiver, "an optimizer", slices.Concat(torchTops, kerasTops, jaxTops))
	}
	return binding{}
}

// named is the binding of what only its name speaks for.
func (f *facts) named(receiver, what string, tops []string) binding {
	if f.any(tops...) {
		return binding{byName, receiver + " is " + what + " by its name"}
	}
	return binding{byGuess, receiver + " is " + what + " by its name only"}
}

// sessionMakers are the last names of what makes a session of TensorFlow 1.
var sessionMakers = map[string]bool{
	"Session": true, "InteractiveSession": true, "MonitoredTrainingSession": true, "MonitoredSession": true,
	"SingularMonitoredSession": true, "get_session": true, "get_default_session": true, "managed_session": true,
	"prepare_or_wait_for_session": true, "cached_session": true, "test_session": true,
}

// session says whether a receiver is a session of TensorFlow 1.
func (f *facts) session(c *call) binding {
	if c.Receiver == "" {
		return binding{}
	}
	tf := f.any(kerasTops...) || f.any("K", "tensorlayer", "tf_slim", "sonnet", "baselines", "stable_baselines")
	receiver := strings.TrimSuffix(c.Receiver, "()")
	if made := f.resolve(receiver); made != c.Receiver && sessionMakers[last(made)] && receiver != c.Receiver {
		return binding{bySource, "run of " + made}
	}
	o, ok := f.originOf(base(c.Receiver), c.Statement)
	if ok && o.full != "" {
		top, _, _ := strings.Cut(o.full, ".")
		switch {
		case !sessionMakers[last(o.full)]:
			// "sess = self._make()" may be one; "sess = ort.InferenceSession()" is not
			if !sessionWord(plainName(c.Receiver)) || !tf || strings.Contains(o.full, "InferenceSession") {
				return binding{}
			}
		case slices.Contains(kerasTops, top) || tf || top == "self":
			return binding{bySource, c.Receiver + " is " + o.full + " (line " + itoa(o.line) + ")"}
		default:
			return binding{} // a session of requests, boto3, ...
		}
	}
	name := plainName(c.Receiver)
	switch {
	case !sessionWord(name), f.tops["onnxruntime"], strings.Contains(name, "ort_"), strings.Contains(name, "onnx"):
		return binding{} // a session of onnxruntime only predicts
	case tf:
		return binding{byName, c.Receiver + " is a session by its name"}
	// A snippet without imports: "session" alone is too common a name.
	case len(f.tops) == 0 && strings.HasPrefix(name, "sess") && name != "session":
		return binding{byGuess, c.Receiver + " is a session by its name only"}
	}
	return binding{}
}

// sessionWord: the name is one that people give to sessions.
func sessionWord(name string) bool {
	name = strings.Trim(name, "_")
	return name == "sess" || name == "session" || strings.HasSuffix(name, "_sess") || strings.HasSuffix(name, "_session") ||
		strings.HasPrefix(name, "sess_") || strings.HasPrefix(name, "session_")
}

// kerasModel says whether a receiver is a Keras model.
func (f *facts) kerasModel(c *call) binding {
	receiver := base(c.Receiver)
	keras := f.any(kerasTops...)
	if receiver == "self" || receiver == "super" {
		if f.kerasClass(f.enclosingClass(c.Statement), 0) {
			return binding{bySource, "a method of a Keras model"}
		}
		return binding{}
	}
	if o, ok := f.originOf(receiver, c.Statement); ok && o.full != "" {
		top, rest, _ := strings.Cut(o.full, ".")
		switch {
		case slices.Contains(kerasTops, top):
			if strings.Contains(rest, "preprocessing") || strings.Contains(rest, "layers.") && last(o.full) != "Model" || strings.Contains(o.full, "Tokenizer") {
				return binding{} // a layer's adapt, a tokenizer's fit
			}
			return binding{bySource, receiver + " is " + o.full + " (line " + itoa(o.line) + ")"}
		case f.kerasClass(o.full, 0):
			return binding{bySource, receiver + " is " + o.full + ", a Keras model of this module"}
		case slices.Contains(notKeras, top):
			return binding{}
		}
	}
	if keras && len(f.compiles[c.Receiver]) > 0 {
		return binding{bySource, receiver + " is compiled in this module"}
	}
	if !keras {
		return binding{} // every estimator of scikit-learn is called model, too
	}
	if name := plainName(c.Receiver); modelWord(name) {
		return binding{byName, c.Receiver + " is a model by its name, and Keras is imported"}
	}
	return binding{}
}

// notKeras are packages whose objects have a fit of their own.
var notKeras = []string{
	"sklearn", "xgboost", "lightgbm", "catboost", "statsmodels", "pytorch_lightning", "lightning", "skorch", "imblearn",
	"umap", "hmmlearn", "prophet", "pmdarima", "scipy", "skopt", "torch", "gensim", "faiss", "cuml", "tpot",
}

// modelWord: the name is one that people give to models.
func modelWord(name string) bool {
	for _, word := range []string{"model", "net", "gan", "autoencoder", "classifier", "vae", "lstm", "cnn", "encoder_decoder", "discriminator"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// enclosingClass is the name of the class around a statement, "" for none.
func (f *facts) enclosingClass(stmt int32) string {
	for at := f.n.Scope(stmt); at >= 0; at = f.n.Scope(at) {
		if f.n.Statements[at].Kind == "class" {
			return f.n.Statements[at].Name
		}
	}
	return ""
}

// maxBases bounds the steps from class to base class, which may go in a circle.
const maxBases = 10

// kerasClass: the class of this module is a Keras model.
func (f *facts) kerasClass(name string, depth int) bool {
	return f.inherits(name, depth, func(base string) bool {
		top, _, _ := strings.Cut(base, ".")
		return slices.Contains(kerasTops, top) && (last(base) == "Model" || last(base) == "Sequential" || last(base) == "Trainer" || last(base) == "Functional")
	})
}

// inherits: a base class of the class, or one of theirs in this module, is one.
func (f *facts) inherits(name string, depth int, is func(base string) bool) bool {
	c, ok := f.classes[name]
	if !ok || depth > maxBases {
		return false
	}
	for _, b := range c.bases {
		if is(b) || f.inherits(b, depth+1, is) {
			return true
		}
	}
	return false
}
