package triage

import (
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
)

// aliases are names that need no definition to be understood: every reader
// takes them for this import, and the candidate room adds it (its table is the
// longer one: it holds the statements). Where a name means different things,
// one of the modules behind it must be imported already. A name that often is
// the reporter's own variable (data, model, x) must not stand here.
var aliases = map[string]string{
	"np": "", "numpy": "", "pd": "", "pandas": "", "plt": "", "sns": "", "tf": "", "tensorflow": "",
	"torch": "", "torchvision": "", "scipy": "", "sklearn": "", "jax": "", "jnp": "", "keras": "",
	"eqx": "", "optax": "", "flax": "", "xgb": "", "lgb": "", "cv2": "", "xr": "", "einops": "",
	"rearrange": "", "gym": "", "tqdm": "", "lax": "jax", "jit": "jax", "grad": "jax", "vmap": "jax",
	"layers": "keras tensorflow", "ops": "keras", "nn": "torch flax", "nnx": "flax", "F": "torch",
	"optim": "torch", "DataLoader": "torch", "Dataset": "torch", "TensorDataset": "torch",
	"pl":      "polars pytorch_lightning lightning",
	"partial": "", "reduce": "", "Path": "", "dataclass": "", "defaultdict": "", "OrderedDict": "",
	"namedtuple": "", "Counter": "", "deepcopy": "", "BytesIO": "", "StringIO": "", "ThreadPoolExecutor": "",
	"os": "", "sys": "", "time": "", "random": "", "math": "", "json": "", "re": "", "copy": "",
	"itertools": "", "functools": "", "collections": "", "warnings": "", "threading": "",
	"multiprocessing": "", "pickle": "", "tempfile": "", "gc": "", "logging": "", "operator": "",
	"string": "", "contextlib": "", "dataclasses": "", "typing": "", "inspect": "", "io": "",
	"pathlib": "", "datetime": "", "fractions": "", "decimal": "", "platform": "", "traceback": "",
	"types": "", "uuid": "", "shutil": "", "importlib": "", "timeit": "",
	"Any": "", "Callable": "", "Dict": "", "Generic": "", "Iterable": "", "Iterator": "", "List": "",
	"Literal": "", "NamedTuple": "", "Optional": "", "Sequence": "", "Set": "", "Tuple": "", "Type": "",
	"TypeVar": "", "Union": "",
}

// explained says whether an undefined name is one of the aliases in a script
// with these imports.
func explained(name string, f *pysyntax.File) bool {
	with, ok := aliases[name]
	if !ok || with == "" {
		return ok
	}
	for _, m := range strings.Fields(with) {
		for _, imp := range f.Imports {
			if topName(imp.Module) == m {
				return true
			}
		}
		for _, n := range f.Undefined() { // an undefined torch will be imported as well
			if n.Name == m {
				return true
			}
		}
	}
	return false
}

// ambient are names that exist where the snippet came from, not in a script:
// a notebook's display, the dunders of a module, a REPL's last value.
var ambient = map[string]bool{
	"display": true, "get_ipython": true, "_": true, "__file__": true,
	"__name__": true, "__doc__": true, "reveal_type": true,
}

// knownClasses are class names of widely used libraries that a snippet may use
// without importing them; an undefined name in CamelCase that is none of them
// is taken for a class of the reporter's own. From the same reading as aliases.
var knownClasses = setOf(
	"Dataset", "DataLoader", "TensorDataset", "IterableDataset", "Subset", "Module",
	"Linear", "Conv1d", "Conv2d", "Conv3d", "Sequential", "ModuleList", "ModuleDict",
	"Parameter", "Adam", "AdamW", "SGD", "ReLU", "Dropout", "LayerNorm", "BatchNorm2d",
	"Embedding", "Transformer", "MultiheadAttention", "CrossEntropyLoss", "MSELoss",
	"Tensor", "Variable", "Dense", "Conv2D", "Input", "Model", "Flatten", "Lambda",
	"Layer", "Callback", "EarlyStopping", "ModelCheckpoint", "Trainer", "TrainingArguments",
	"LightningModule", "LightningDataModule", "AutoModel", "AutoTokenizer", "AutoConfig",
	"AutoModelForCausalLM", "AutoModelForSeq2SeqLM", "AutoModelForSequenceClassification",
	"BertModel", "BertConfig", "GPT2LMHeadModel", "Pipeline", "ColumnTransformer",
	"StandardScaler", "OneHotEncoder", "LabelEncoder", "SimpleImputer", "KMeans",
	"RandomForestClassifier", "RandomForestRegressor", "GradientBoostingClassifier",
	"LogisticRegression", "LinearRegression", "Ridge", "Lasso", "GridSearchCV",
	"RandomizedSearchCV", "KFold", "StratifiedKFold", "XGBClassifier", "XGBRegressor",
	"LGBMClassifier", "LGBMRegressor", "CatBoostClassifier", "DataFrame", "Series",
	"Image", "Box", "Discrete", "Env", "DummyVecEnv", "SubprocVecEnv", "Figure",
	"Path", "Counter", "OrderedDict", "Enum", "Optional", "List", "Dict", "Tuple",
	"Union", "Any", "Callable", "Iterable", "Iterator", "Sequence", "Literal",
	"NamedTuple", "Protocol", "Generic", "TypeVar", "ThreadPoolExecutor",
	"ProcessPoolExecutor", "Process", "Pool", "Queue", "Thread", "Decimal", "Fraction",
)

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}
