package triage

// aliases are names that need no definition to be understood: any maintainer
// reads them as this module, and the candidate room adds the import. From
// reading the snippets of 72 trackers' reports; a name that often is the
// reporter's own variable (data, model, x) must not stand here.
var aliases = map[string]string{
	"np": "numpy", "numpy": "numpy", "onp": "numpy", "pd": "pandas", "pandas": "pandas",
	"sp": "scipy", "scipy": "scipy", "plt": "matplotlib.pyplot", "mpl": "matplotlib",
	"matplotlib": "matplotlib", "sns": "seaborn", "tf": "tensorflow",
	"tensorflow": "tensorflow", "torch": "torch", "nn": "torch.nn",
	"F": "torch.nn.functional", "optim": "torch.optim", "torchvision": "torchvision",
	"jax": "jax", "jnp": "jax.numpy", "lax": "jax.lax", "jr": "jax.random",
	"flax": "flax", "optax": "optax", "eqx": "equinox", "keras": "keras",
	"layers": "keras.layers", "sklearn": "sklearn", "xgb": "xgboost",
	"lgb": "lightgbm", "pl": "pytorch_lightning", "transformers": "transformers",
	"gym": "gym", "ot": "ot", "xr": "xarray", "pa": "pyarrow", "nx": "networkx",
	"cv2": "cv2", "os": "os", "sys": "sys", "time": "time", "math": "math",
	"random": "random", "re": "re", "json": "json", "warnings": "warnings",
	"copy": "copy", "pickle": "pickle", "tempfile": "tempfile",
	"functools": "functools", "itertools": "itertools", "collections": "collections",
	"Path": "pathlib", "partial": "functools", "deepcopy": "copy",
	"dataclass": "dataclasses", "logging": "logging", "gc": "gc",
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
