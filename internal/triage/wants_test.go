package triage

import (
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/symptom"
)

// wants are the decisions on all reports of testdata/reports. The first thirty
// are real ones in other words; what is asserted of them is what a maintainer
// would read out of the text alone.
var wants = []want{
	{
		file: "case-diffusers-ddpm-trailing-prev", route: NeedsModel, oracle: oracle.OraclePrinted, subject: "diffusers",
		actual: []string{"999 923", "922 846", "845 769", "153 77"}, reason: "no script", missing: "script",
	},
	{
		file: "case-equinox-layernorm-silent-shape", route: Attempt, blocks: []int{0}, oracle: oracle.OracleMissingException,
		kind: symptom.MissingException, subject: "equinox", actual: []string{"(3, 8)"},
	},
	{
		file: "case-equinox-rmsnorm-half-drift", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted,
		kind: symptom.WrongValue, subject: "equinox", relation: "equal",
		actual: []string{"3.0 [1. 1. 1. 1. 1. 1. 1. 1.]", "300.0 [0. 0. 0. 0. 0. 0. 0. 0.]"},
	},
	{
		file: "case-equinox-rope-dtype", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, kind: symptom.DType,
		subject: "equinox", actual: []string{"float16 -> float32"}, expected: []string{"float16 -> float16"},
	},
	{
		file: "case-gymnasium-vector-normalize-reward", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted,
		kind: symptom.WrongValue, subject: "gymnasium", relation: "equal",
		actual: []string{"around the vector env: 12.0001 1.57...", "around the sub env   : 9.0001 1.76..."},
	},
	{
		file: "case-hostile-secrets-loopback", route: Hostile, blocks: []int{0}, oracle: oracle.OracleMissingException,
		subject: "keras", reason: "reaches for secrets",
	},
	{
		file: "case-jax-jit-exp-nan", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, kind: symptom.WrongValue,
		subject: "jax", actual: []string{"eager : nan", "jitted: 5.56e-310"}, relation: "all_nan",
		good: []string{"jax 0.6.1"}, bad: []string{"jax 0.6.2"},
	},
	{
		file: "case-keras-jax-argmin-subnormal", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted,
		kind: symptom.WrongValue, subject: "keras", actual: []string{"keras 3.6.0 argmin = 0", "numpy argmin = 2"},
		expected: []string{"keras 3.6.0 argmin = 2", "numpy argmin = 2"},
	},
	{
		file: "case-keras-logsumexp-symbolic", route: Attempt, blocks: []int{0}, oracle: oracle.OracleException,
		kind: symptom.Exception, subject: "keras",
	},
	{file: "case-lightning-throughput-warning-spam", route: NeedsModel, subject: "pytorch-lightning", missing: "script"},
	{
		file: "case-needs-hardware-cuda-graph", route: NeedsHardware, blocks: []int{0}, subject: "torch",
		reason: "torch.cuda.synchronize",
	},
	{file: "case-needs-hardware-te-fp8", route: NeedsHardware, reason: "Transformer Engine"},
	{
		file: "case-needs-info-sb3-missing-env", route: NeedsInfo, blocks: []int{0}, oracle: oracle.OracleException,
		subject: "stable-baselines3", reason: "WarehouseWrapper", missing: "the class `WarehouseWrapper`",
	},
	{file: "case-not-a-bug-gymnasium-return-kept", route: Attempt, blocks: []int{0}, subject: "gymnasium", reason: "lead"},
	{
		file: "case-not-a-bug-jax-float-sum", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, kind: symptom.WrongValue,
		subject: "jax", actual: []string{"~False"}, expected: []string{"~True"},
	},
	{
		file: "case-not-reproduced-keras-argmax", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted,
		kind: symptom.WrongValue, subject: "keras", actual: []string{"argmax: 1"}, expected: []string{"argmax: 2"},
	},
	{
		// Its indentation is repaired and its imports are well known.
		file: "case-numpyro-only-deterministic", route: Attempt, blocks: []int{0}, oracle: oracle.OracleException,
		subject: "numpyro",
	},
	{
		file: "case-optuna-grid-enqueue", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, subject: "optuna",
		kind: symptom.WrongValue, actual: []string{"~5 trials"},
	},
	{
		file: "case-optuna-grid-parallel-duplicates", route: Attempt, blocks: []int{0}, oracle: oracle.OracleDuplicates,
		kind: symptom.Duplicates, subject: "optuna", good: []string{"optuna 3.2.0"}, bad: []string{"optuna 3.6.1"},
	},
	{
		file: "case-pot-circle-rotation", route: Attempt, blocks: []int{0}, oracle: oracle.OracleAssert, kind: symptom.WrongValue,
		subject: "pot",
	},
	{
		file: "case-pygad-init-range", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, kind: symptom.WrongValue,
		subject: "pygad", good: []string{"pygad 3.4.0"}, bad: []string{"pygad 3.5.0"},
		actual: []string{"?best : [  1 -11   1  -9   1 -12   1  -8   1 -10   1 -13   1  -9   1  -7]", "?score: 87.0"},
	},
	{file: "case-rotary-xpos-nonfinite", route: NeedsModel, subject: "rotary-embedding-torch"},
	{
		file: "case-sb3-load-net-arch-none", route: Attempt, blocks: []int{0}, oracle: oracle.OracleException,
		kind: symptom.Exception, subject: "stable-baselines3",
	},
	{
		file: "case-sklearn-isoforest-names-warning", route: Attempt, blocks: []int{0}, oracle: oracle.OracleWarning,
		kind: symptom.Warning, subject: "scikit-learn",
	},
	{
		file: "case-tf-27-protobuf4-import", route: Attempt, blocks: []int{1}, oracle: oracle.OracleImportError,
		kind: symptom.ImportError, subject: "tensorflow-cpu", good: []string{"protobuf 3.20.x"},
	},
	{
		file: "case-tf-drawboxes-abort", route: Attempt, blocks: []int{0}, oracle: oracle.OracleSignal, kind: symptom.Signal,
		subject: "tensorflow",
	},
	{
		file: "case-torchmetrics-topk-macro", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted,
		kind: symptom.WrongValue, subject: "torchmetrics", actual: []string{"1 tensor(0.5000)", "2 tensor(0.3333)"}, relation: "not_falling",
	},
	{
		file: "case-transformers-t5-generate-mask", route: NeedsModel, blocks: []int{0}, oracle: oracle.OracleDifferential,
		subject: "transformers", good: []string{"transformers 4.48"}, bad: []string{"transformers 4.49"}, reason: "downloads",
	},
	{
		file: "case-xgboost-sklearn-tags", route: Attempt, blocks: []int{0}, oracle: oracle.OracleException,
		kind: symptom.Exception, subject: "xgboost",
	},
	{file: "case-xtransformers-xpos-traceback", route: NeedsModel, oracle: oracle.OracleException, subject: "x-transformers"},

	{
		file: "own-alternatives", route: Attempt, blocks: []int{1}, oracle: oracle.OracleException, kind: symptom.Exception,
		subject: "jax",
	},
	{
		file: "own-asks", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, subject: "numpy",
		actual: []string{"2.5"}, expected: []string{"2"},
	},
	{file: "own-assert-traceback", route: Attempt, blocks: []int{0}, oracle: oracle.OracleAssert, kind: symptom.WrongValue, subject: "numpy"},
	{
		file: "own-chat-template", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, subject: "transformers",
		actual: []string{"~1 user"}, expected: []string{"~2 system"},
	},
	{
		file: "own-comment-claims", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, subject: "pandas",
		actual: []string{"3"}, expected: []string{"2"},
	},
	{
		file: "own-cuda-lower", route: Attempt, blocks: []int{0}, oracle: oracle.OracleException, subject: "torch",
		reason: "the CPU is tried",
	},
	{file: "own-ddp", route: NeedsHardware, blocks: []int{0}, oracle: oracle.OracleHang, subject: "torch", reason: "torchrun"},
	{
		file: "own-differential", route: Attempt, blocks: []int{0}, oracle: oracle.OracleDifferential, subject: "scikit-learn",
		good: []string{"scikit-learn 1.2.2"}, bad: []string{"scikit-learn 1.3.0"}, reason: "1.2.2 is named as good",
	},
	{
		file: "own-expected-block", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, subject: "xarray",
		actual: []string{"first 1", "last 2"}, expected: []string{"first 3", "last 2"},
	},
	{file: "own-feature-request", route: NotABug, subject: "scikit-learn", reason: "feature request"},
	{file: "own-future-warning", route: Attempt, blocks: []int{0}, oracle: oracle.OracleWarning, subject: "pandas"},
	{file: "own-hub-weights", route: NeedsModel, blocks: []int{0}, subject: "transformers", reason: "downloads"},
	{file: "own-link-only", route: NeedsInfo, subject: "keras", reason: "colab", missing: "script"},
	{
		file: "own-module", route: NeedsInfo, blocks: []int{0}, oracle: oracle.OraclePrinted, subject: "lightning",
		expected: []string{"3"}, missing: "`my_project`",
	},
	{file: "own-module-not-found", route: Attempt, blocks: []int{0}, oracle: oracle.OracleImportError, subject: "shap"},
	{
		file: "own-mps-only", route: NeedsHardware, blocks: []int{0}, oracle: oracle.OraclePrinted, subject: "torch",
		actual: []string{"tensor([1, 1, 1, 1])"}, reason: "not on the CPU",
	},
	{
		file: "own-non-finite", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, kind: symptom.NonFinite,
		subject: "torch", actual: []string{"out tensor(nan, dtype=torch.float16)"}, relation: "all_finite",
	},
	{
		file: "own-notebook", route: Attempt, blocks: []int{0, 1, 2}, oracle: oracle.OraclePrinted, subject: "numpy",
		actual: []string{"slope 0.5"}, expected: []string{"slope 0.0"},
	},
	{
		file: "own-private-file", route: NeedsInfo, blocks: []int{0}, oracle: oracle.OraclePrinted, subject: "scikit-learn",
		actual: []string{"[0, 1, 2, 3]"}, expected: []string{"[0, 1, 2]"}, missing: "customers_2023.csv",
	},
	{file: "own-proposed-fix", route: Attempt, blocks: []int{0}, oracle: oracle.OracleException, subject: "scikit-learn"},
	{
		file: "own-two-differ", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, kind: symptom.WrongValue,
		subject: "tinyops", actual: []string{"3.5", "3.0"}, relation: "equal",
	},
	{
		file: "own-nan-on-purpose", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted,
		subject: "scipy", actual: []string{"[[nan nan]", "[nan inf]]"}, relation: "equal",
	},
	{
		file: "own-other-class", route: Attempt, blocks: []int{0}, oracle: oracle.OracleException, subject: "shapelib",
		wanted: "ShapeError", good: []string{"shapelib 1.2.0"}, bad: []string{"shapelib 1.3.0"},
	},
	{
		file: "own-before-after", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, subject: "tinyframe",
		actual: []string{"(1,)", "(2,)"}, expected: []string{"1", "2"}, good: []string{"tinyframe <2.0"}, bad: []string{"tinyframe 2.0"},
	},
	{file: "own-versions-warn", route: Attempt, blocks: []int{0}, subject: "scipy", reason: "lead"},
	{file: "own-console-crash", route: Attempt, blocks: []int{0}, oracle: oracle.OracleSignal, kind: symptom.Signal, subject: "jax"},
	{file: "own-title-message", route: Attempt, blocks: []int{0}, oracle: oracle.OracleException, subject: "imbalanced-learn"},
	{
		file: "own-array-corrected", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, subject: "tinyrank",
		actual: []string{"[ True  True]"}, expected: []string{"[False  True]"}, good: []string{"tinyrank 3.3.3"}, bad: []string{"tinyrank 3.4.1"},
	},
	{
		file: "own-not-all-same", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, subject: "tinyopt",
		actual: []string{"0 0.97", "1 1.85", "2 1.85"},
	},
	{file: "own-question", route: NotABug, subject: "optax", reason: "a question"},
	{
		file: "own-repl-values", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, kind: symptom.WrongValue,
		subject: "pandas", actual: []string{"[1, 2, 3]"}, expected: []string{"[3, 1, 2]"},
	},
	{file: "own-screenshot", route: NeedsInfo, subject: "optuna", reason: "picture"},
	{file: "own-segfault", route: Attempt, blocks: []int{0}, oracle: oracle.OracleSignal, subject: "torch"},
	{
		file: "own-shape", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, kind: symptom.Shape,
		subject: "keras", actual: []string{"(1, 3, 2)"}, expected: []string{"(1, 4, 2)"},
	},
	{file: "own-should-raise", route: Attempt, blocks: []int{0}, oracle: oracle.OracleMissingException, subject: "scikit-learn"},
	{file: "own-slow", route: Attempt, blocks: []int{0}, oracle: oracle.OracleSlow, kind: symptom.Slow, subject: "pandas"},
	{
		file: "own-stated-exception", route: Attempt, blocks: []int{0}, oracle: oracle.OracleException, subject: "scipy",
		missing: "traceback",
	},
	{file: "own-steering-german", route: Hostile, blocks: []int{0}, reason: "reaches for network"},
	{
		file: "own-steering-harmless", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, subject: "numpy",
		actual: []string{"5"}, expected: []string{"3"}, reason: "recorded and not followed",
	},
	{file: "own-steering-only", route: Hostile, reason: "no bug report"},
	{file: "own-te-question", route: NeedsHardware, reason: "fp8"},
	{file: "own-undefined", route: NeedsModel, blocks: []int{0}, oracle: oracle.OracleNonFinite, subject: "jax", missing: "`loss_fn`"},
	{file: "own-vague", route: NeedsInfo, missing: "script"},
	{
		file: "own-collect-env", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, subject: "torch",
		actual: []string{"mean tensor(0.)"}, expected: []string{"mean tensor(nan)"},
	},
	{file: "own-guarded-device", route: Attempt, blocks: []int{0}, oracle: oracle.OracleMissingException, subject: "torch"},
	{file: "own-two-devices", route: NeedsHardware, blocks: []int{0}, oracle: oracle.OracleException, reason: "two devices"},
	{
		file: "own-version-snippet", route: Attempt, blocks: []int{1}, oracle: oracle.OraclePrinted, subject: "numpy",
		kind: symptom.Shape, actual: []string{"(2, 3)"}, expected: []string{"(3, 2)"},
	},
	{
		file: "own-labelled-block", route: Attempt, blocks: []int{0}, oracle: oracle.OraclePrinted, subject: "pandas",
		actual: []string{"1.0"}, expected: []string{"1.5"},
	},
	{
		file: "own-title-segfault", route: Attempt, blocks: []int{0}, oracle: oracle.OracleSignal, kind: symptom.Signal,
		subject: "scipy",
	},
	{file: "own-hang-interrupt", route: Attempt, blocks: []int{0}, oracle: oracle.OracleHang, kind: symptom.Hang, subject: "scikit-learn"},
	{
		file: "own-works-fails-setup", route: Attempt, blocks: []int{0, 2}, oracle: oracle.OracleException, kind: symptom.Exception,
		subject: "torch",
	},
	{file: "own-cpu-vs-gpu", route: NeedsHardware, blocks: []int{0}, subject: "torch", reason: "not on the CPU"},
	{file: "own-form-accelerate", route: Attempt, blocks: []int{0}, oracle: oracle.OracleMissingException, subject: "transformers"},
	{
		file: "own-defined-later", route: Attempt, blocks: []int{2, 0}, oracle: oracle.OraclePrinted, subject: "jax",
		actual: []string{"False"}, expected: []string{"True"},
	},
}
