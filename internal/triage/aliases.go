package triage

import (
	"slices"

	"github.com/repgen/repgen/internal/pysyntax"
)

// explained says whether an undefined name needs no definition to be understood:
// every reader takes it for one import, and the candidate room adds that.
func explained(name string, f *pysyntax.File) bool {
	return pysyntax.WellKnown(name, atHand(f), f.Source) != ""
}

// atHand are the modules that the script imports and the names that it lacks: an
// undefined torch will be imported as well.
func atHand(f *pysyntax.File) []string {
	have := f.TopModules()
	for _, n := range f.Undefined() {
		have = append(have, n.Name)
	}
	return have
}

// assumedModules are the top modules of the imports that a snippet leaves to its
// reader ("tf.Variable", "tfp.distributions").
func assumedModules(f *pysyntax.File) []string {
	var found []string
	have := atHand(f)
	for _, n := range f.Undefined() {
		statement := pysyntax.WellKnown(n.Name, have, f.Source)
		if statement == "" {
			continue
		}
		for _, m := range pysyntax.Parse(statement).TopModules() {
			if !slices.Contains(found, m) {
				found = append(found, m)
			}
		}
	}
	return found
}

// ambient are names that exist where the snippet came from, not in a script:
// a notebook's display, the dunders of a module, a REPL's last value.
var ambient = map[string]bool{
	"display": true, "get_ipython": true, "_": true, "__file__": true,
	"__name__": true, "__doc__": true, "reveal_type": true,
}

// knownClasses are class names of widely used libraries that a snippet may use
// without importing them; an undefined name in CamelCase that is none of them
// is taken for a class of the reporter's own. From the reading of the measured reports.
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
