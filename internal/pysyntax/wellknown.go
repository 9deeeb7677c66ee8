package pysyntax

import (
	"regexp"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
)

// alias is an import that everybody leaves out of a snippet.
type alias struct {
	name string
	// with names the top-level module that must be there already for a name that
	// is not one library's own; uses is a part of the source that must be there.
	with, uses string
	statement  string
}

// aliases are the abbreviations that the libraries' own documentation uses. The
// first that fits wins.
var aliases = []alias{
	{"np", "", "", "import numpy as np"},
	{"pd", "", "", "import pandas as pd"},
	{"plt", "", "", "import matplotlib.pyplot as plt"},
	{"sns", "", "", "import seaborn as sns"},
	{"tf", "", "", "import tensorflow as tf"},
	{"tfp", "", "", "import tensorflow_probability as tfp"},
	{"torch", "", "", "import torch"},
	{"torchvision", "", "", "import torchvision"},
	{"torchaudio", "", "", "import torchaudio"},
	{"numpy", "", "", "import numpy"},
	{"pandas", "", "", "import pandas"},
	{"scipy", "", "", "import scipy"},
	{"sklearn", "", "", "import sklearn"},
	{"tensorflow", "", "", "import tensorflow"},
	{"transformers", "", "", "import transformers"},
	{"matplotlib", "", "", "import matplotlib"},
	{"jax", "", "", "import jax"},
	{"jnp", "", "", "import jax.numpy as jnp"},
	{"lax", "jax", "", "from jax import lax"},
	{"jit", "jax", "", "from jax import jit"},
	{"grad", "jax", "", "from jax import grad"},
	{"vmap", "jax", "", "from jax import vmap"},
	{"pmap", "jax", "", "from jax import pmap"},
	{"value_and_grad", "jax", "", "from jax import value_and_grad"},
	{"PRNGKey", "jax", "", "from jax.random import PRNGKey"},
	{"jsp", "jax", "", "import jax.scipy as jsp"},
	{"jr", "jax", "jr.", "import jax.random as jr"},
	{"jtu", "jax", "", "import jax.tree_util as jtu"},
	{"random", "jax", "random.PRNGKey", "from jax import random"},
	{"random", "jax", "random.key(", "from jax import random"},
	{"keras", "tensorflow", "", "from tensorflow import keras"},
	{"keras", "", "", "import keras"},
	{"layers", "keras", "", "from keras import layers"},
	{"layers", "tensorflow", "", "from tensorflow.keras import layers"},
	{"models", "keras", "models.Sequential", "from keras import models"},
	{"models", "tensorflow", "models.Sequential", "from tensorflow.keras import models"},
	{"ops", "keras", "", "from keras import ops"},
	{"K", "keras", "K.", "from keras import backend as K"},
	{"K", "tensorflow", "K.", "from tensorflow.keras import backend as K"},
	{"nn", "flax", "", "import flax.linen as nn"},
	{"nn", "torch", "", "import torch.nn as nn"},
	{"nnx", "flax", "", "from flax import nnx"},
	{"linen", "flax", "", "from flax import linen"},
	{"F", "torch", "", "import torch.nn.functional as F"},
	{"optim", "torch", "", "import torch.optim as optim"},
	{"init", "torch", "init.", "import torch.nn.init as init"},
	{"dist", "numpyro", "", "import numpyro.distributions as dist"},
	{"dist", "pyro", "", "import pyro.distributions as dist"},
	{"dist", "torch", "dist.init_process_group", "import torch.distributed as dist"},
	{"transforms", "torchvision", "", "from torchvision import transforms"},
	{"T", "torchvision", "T.", "import torchvision.transforms as T"},
	{"pl", "polars", "", "import polars as pl"},
	{"pl", "pytorch_lightning", "", "import pytorch_lightning as pl"},
	{"pl", "lightning", "", "import lightning.pytorch as pl"},
	{"eqx", "", "", "import equinox as eqx"},
	{"optax", "", "", "import optax"},
	{"flax", "", "", "import flax"},
	{"numpyro", "", "", "import numpyro"},
	{"xgb", "", "", "import xgboost as xgb"},
	{"lgb", "", "", "import lightgbm as lgb"},
	{"cv2", "", "", "import cv2"},
	{"xr", "", "", "import xarray as xr"},
	{"nx", "", "nx.", "import networkx as nx"},
	{"einops", "", "", "import einops"},
	{"rearrange", "", "", "from einops import rearrange"},
	{"pm", "pymc", "pm.", "import pymc as pm"},
	{"pm", "pymc3", "pm.", "import pymc3 as pm"},
	// The backend tells the generations of PyMC apart: theano was that of 3.
	{"pm", "theano", "pm.", "import pymc3 as pm"},
	{"pm", "aesara", "pm.", "import pymc as pm"},
	{"pm", "pytensor", "pm.", "import pymc as pm"},
	{"tt", "theano", "tt.", "import theano.tensor as tt"},
	{"tt", "pymc3", "tt.", "import theano.tensor as tt"},
	{"pt", "pytensor", "pt.", "import pytensor.tensor as pt"},
	{"az", "", "az.", "import arviz as az"},
	{"gym", "", "", "import gymnasium as gym"},
	{"spaces", "gymnasium", "", "from gymnasium import spaces"},
	{"spaces", "gym", "", "from gym import spaces"},
	{"stats", "scipy", "", "from scipy import stats"},
	{"sparse", "scipy", "", "from scipy import sparse"},
	{"metrics", "sklearn", "metrics.", "from sklearn import metrics"},
	{"datasets", "sklearn", "datasets.", "from sklearn import datasets"},
	{"Image", "", "Image.", "from PIL import Image"},
	{"tqdm", "", "", "from tqdm import tqdm"},
	{"pprint", "", "pprint(", "from pprint import pprint"},
}

// members are names that are imported from one module. A module behind an
// exclamation mark has names that other libraries use as well, so it must be
// imported already, it or what is named before a colon, and of two such modules
// both there is none chosen.
var members = []struct{ module, names string }{
	{"functools", "partial reduce lru_cache"},
	{"pathlib", "Path"},
	{"dataclasses", "dataclass"},
	{"collections", "defaultdict OrderedDict namedtuple Counter deque"},
	{"copy", "deepcopy"},
	{"io", "BytesIO StringIO"},
	{"concurrent.futures", "ThreadPoolExecutor ProcessPoolExecutor"},
	{"typing", "Any Callable ClassVar Dict Generator Generic Iterable Iterator List Literal Mapping NamedTuple Optional Sequence Set Tuple Type TypeVar Union"},
	{"!torch.utils.data", "DataLoader Dataset TensorDataset IterableDataset Subset random_split ConcatDataset WeightedRandomSampler"},
	{"!torch.nn", "Module Linear Conv1d Conv2d Conv3d ModuleList ModuleDict Parameter ReLU GELU Dropout LayerNorm BatchNorm1d BatchNorm2d Embedding Sequential MultiheadAttention CrossEntropyLoss MSELoss BCEWithLogitsLoss TransformerEncoder TransformerEncoderLayer"},
	{"!torch.optim", "Adam AdamW SGD RMSprop"},
	{"!torch", "Tensor"},
	{"!torch.autograd", "Variable"},
	{"!keras:keras.layers", "Dense Conv1D Conv2D Conv3D Flatten Dropout LSTM GRU Embedding BatchNormalization MaxPooling2D Lambda Layer Activation Concatenate TimeDistributed Bidirectional"},
	{"!keras", "Sequential Model Input"},
	{"!keras:keras.optimizers", "Adam SGD RMSprop AdamW"},
	{"!keras:keras.callbacks", "Callback EarlyStopping ModelCheckpoint"},
	{"!keras:keras.utils", "to_categorical"},
	{"!tensorflow:tensorflow.keras.layers", "Dense Conv1D Conv2D Conv3D Flatten Dropout LSTM GRU Embedding BatchNormalization MaxPooling2D Lambda Layer Activation Concatenate TimeDistributed Bidirectional"},
	{"!tensorflow:tensorflow.keras", "Sequential Model Input"},
	{"!tensorflow:tensorflow.keras.optimizers", "Adam SGD RMSprop"},
	{"!tensorflow:tensorflow.keras.callbacks", "Callback EarlyStopping ModelCheckpoint"},
	{"sklearn.model_selection", "train_test_split GridSearchCV RandomizedSearchCV StratifiedKFold cross_val_score cross_validate cross_val_predict KFold GroupKFold TimeSeriesSplit"},
	{"sklearn.preprocessing", "StandardScaler OneHotEncoder LabelEncoder MinMaxScaler RobustScaler OrdinalEncoder PolynomialFeatures FunctionTransformer QuantileTransformer"},
	{"sklearn.ensemble", "RandomForestClassifier RandomForestRegressor GradientBoostingClassifier GradientBoostingRegressor IsolationForest HistGradientBoostingClassifier HistGradientBoostingRegressor VotingClassifier StackingClassifier BaggingClassifier ExtraTreesClassifier"},
	{"sklearn.linear_model", "LogisticRegression LinearRegression Ridge Lasso ElasticNet LassoCV RidgeCV SGDClassifier SGDRegressor"},
	{"sklearn.datasets", "make_classification make_regression make_blobs load_iris load_digits load_diabetes load_breast_cancer load_wine"},
	{"sklearn.metrics", "accuracy_score roc_auc_score f1_score mean_squared_error confusion_matrix classification_report r2_score precision_score recall_score log_loss"},
	{"sklearn.impute", "SimpleImputer KNNImputer"},
	{"sklearn.compose", "ColumnTransformer make_column_transformer"},
	{"sklearn.pipeline", "make_pipeline FeatureUnion"},
	{"!sklearn.pipeline", "Pipeline"},
	{"sklearn.cluster", "KMeans MiniBatchKMeans AgglomerativeClustering DBSCAN"},
	{"sklearn.decomposition", "TruncatedSVD"},
	{"!sklearn.decomposition", "PCA NMF FastICA"},
	{"!sklearn.svm", "SVC SVR LinearSVC"},
	{"sklearn.neighbors", "KNeighborsClassifier KNeighborsRegressor NearestNeighbors"},
	{"sklearn.tree", "DecisionTreeClassifier DecisionTreeRegressor"},
	{"!sklearn.base", "BaseEstimator TransformerMixin ClassifierMixin clone"},
	{"xgboost", "XGBClassifier XGBRegressor XGBRanker"},
	{"lightgbm", "LGBMClassifier LGBMRegressor LGBMRanker"},
	{"catboost", "CatBoostClassifier CatBoostRegressor"},
	{"!transformers", "Trainer TrainingArguments pipeline BertModel BertConfig BertTokenizer GPT2LMHeadModel GPT2Config GPT2Tokenizer T5ForConditionalGeneration T5Config LlamaForCausalLM LlamaConfig DataCollatorWithPadding"},
	{"!stable_baselines3", "PPO A2C DQN SAC TD3 DDPG"},
	{"!stable_baselines3:stable_baselines3.common.vec_env", "DummyVecEnv SubprocVecEnv VecNormalize"},
	{"!stable_baselines3:stable_baselines3.common.env_util", "make_vec_env"},
	{"!numpyro.infer", "MCMC NUTS HMC SVI Trace_ELBO Predictive"},
	{"!pyro.infer", "MCMC NUTS HMC SVI Trace_ELBO Predictive"},
	{"!pandas", "DataFrame Series"},
	{"!numpy", "array"},
	{"!scipy.sparse", "csr_matrix csc_matrix coo_matrix"},
}

// plainModules are imported under their own name.
var plainModules = strings.Fields(`os sys time random math json re copy itertools functools
	collections warnings threading multiprocessing pickle tempfile gc logging operator string
	struct contextlib dataclasses typing inspect io pathlib datetime statistics cmath
	decimal fractions platform traceback types uuid queue shutil glob csv hashlib heapq
	bisect enum abc asyncio importlib textwrap timeit`)

// autoClass: the classes of transformers that read their kind from a model.
var autoClass = regexp.MustCompile(`^Auto(Model|Tokenizer|Config|Processor|ImageProcessor|FeatureExtractor)\w*$`)

// WellKnown is the import statement that everybody reads into a name which a
// snippet uses and does not import, "" for a name that could be anything. have
// are the top-level modules that the snippet imports, together with the names
// that nothing defines (an undefined torch will be imported as well).
func WellKnown(name string, have []string, src string) string {
	// A module from which something else is imported is meant by its own name
	// ("from gym.wrappers import FrameStack", then gym.make).
	if slices.Contains(have, name) && regexp.MustCompile(`(?m)^\s*from\s+`+regexp.QuoteMeta(name)+`(?:\.\w+)*\s+import\b`).MatchString(src) {
		return "import " + name
	}
	for _, a := range aliases {
		if a.name == name && (a.with == "" || slices.Contains(have, a.with)) && strings.Contains(src, a.uses) {
			return withParts(name, a.statement, src)
		}
	}
	if slices.Contains(plainModules, name) {
		return "import " + name
	}
	if autoClass.MatchString(name) {
		return "from transformers import " + name
	}
	if statement := member(name, have); statement != "" {
		return statement
	}
	return ownModule(name, src)
}

// ownModule is the import of a library that the source uses by its full name
// ("imblearn.over_sampling.SMOTE(...)"). A class behind it is asked for, since
// many a library's name is a plain word that may be a variable as well. From
// each module below it something is imported, too: not every package brings
// its modules along by itself.
func ownModule(name, src string) string {
	if _, known := pydist.FromImport(name); !known {
		return ""
	}
	uses := regexp.MustCompile(`(?:^|[^\w.])`+name+`\.((?:[a-z_]\w*\.)*)[A-Z]\w*`).FindAllStringSubmatch(src, -1)
	if len(uses) == 0 {
		return ""
	}
	statement := "import " + name
	var seen []string
	for _, use := range uses {
		if below := firstPart(use[1]); below != "" && !slices.Contains(seen, below) {
			seen = append(seen, below)
			statement += "; from " + name + " import " + below
		}
	}
	return statement
}

// member is the import of a name out of a module.
func member(name string, have []string) string {
	found := ""
	for _, m := range members {
		if !slices.Contains(strings.Fields(m.names), name) {
			continue
		}
		module, shared := strings.CutPrefix(m.module, "!")
		with, target, other := strings.Cut(module, ":")
		if !other {
			target = module
		}
		switch {
		case !shared:
			return "from " + module + " import " + name
		case !slices.Contains(have, firstPart(with)):
		case found != "" && !strings.HasPrefix(found, "from keras"):
			return "" // two libraries that are both there have it
		case found == "":
			found = "from " + target + " import " + name
		}
	}
	return found
}
