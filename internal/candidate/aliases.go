package candidate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
)

// alias is an import that everybody leaves out of a snippet. with names the
// top-level module that must be there already for an ambiguous one; uses is a
// part of the source that must be there.
type alias struct {
	name, with, uses, statement string
}

// aliases are the abbreviations that the libraries' own documentation uses, and
// the standard modules that snippets use without importing. The first that fits
// wins.
var aliases = []alias{
	{"np", "", "", "import numpy as np"},
	{"pd", "", "", "import pandas as pd"},
	{"plt", "", "", "import matplotlib.pyplot as plt"},
	{"sns", "", "", "import seaborn as sns"},
	{"tf", "", "", "import tensorflow as tf"},
	{"torch", "", "", "import torch"},
	{"torchvision", "", "", "import torchvision"},
	{"numpy", "", "", "import numpy"},
	{"pandas", "", "", "import pandas"},
	{"scipy", "", "", "import scipy"},
	{"sklearn", "", "", "import sklearn"},
	{"tensorflow", "", "", "import tensorflow"},
	{"jax", "", "", "import jax"},
	{"jnp", "", "", "import jax.numpy as jnp"},
	{"lax", "jax", "", "from jax import lax"},
	{"jit", "jax", "", "from jax import jit"},
	{"grad", "jax", "", "from jax import grad"},
	{"vmap", "jax", "", "from jax import vmap"},
	{"random", "jax", "random.PRNGKey", "from jax import random"},
	{"random", "jax", "random.key(", "from jax import random"},
	{"keras", "", "", "import keras"},
	{"layers", "keras", "", "from keras import layers"},
	{"layers", "tensorflow", "", "from tensorflow.keras import layers"},
	{"ops", "keras", "", "from keras import ops"},
	{"nn", "flax", "", "import flax.linen as nn"},
	{"nn", "torch", "", "import torch.nn as nn"},
	{"nnx", "flax", "", "from flax import nnx"},
	{"F", "torch", "", "import torch.nn.functional as F"},
	{"optim", "torch", "", "import torch.optim as optim"},
	{"DataLoader", "torch", "", "from torch.utils.data import DataLoader"},
	{"Dataset", "torch", "", "from torch.utils.data import Dataset"},
	{"TensorDataset", "torch", "", "from torch.utils.data import TensorDataset"},
	{"pl", "polars", "", "import polars as pl"},
	{"pl", "pytorch_lightning", "", "import pytorch_lightning as pl"},
	{"pl", "lightning", "", "import lightning.pytorch as pl"},
	{"eqx", "", "", "import equinox as eqx"},
	{"optax", "", "", "import optax"},
	{"flax", "", "", "import flax"},
	{"xgb", "", "", "import xgboost as xgb"},
	{"lgb", "", "", "import lightgbm as lgb"},
	{"cv2", "", "", "import cv2"},
	{"xr", "", "", "import xarray as xr"},
	{"einops", "", "", "import einops"},
	{"rearrange", "", "", "from einops import rearrange"},
	{"gym", "", "", "import gymnasium as gym"},
	{"Image", "", "Image.", "from PIL import Image"},
	{"tqdm", "", "", "from tqdm import tqdm"},
	{"partial", "", "", "from functools import partial"},
	{"reduce", "", "", "from functools import reduce"},
	{"Path", "", "", "from pathlib import Path"},
	{"dataclass", "", "", "from dataclasses import dataclass"},
	{"defaultdict", "", "", "from collections import defaultdict"},
	{"OrderedDict", "", "", "from collections import OrderedDict"},
	{"namedtuple", "", "", "from collections import namedtuple"},
	{"Counter", "", "", "from collections import Counter"},
	{"deepcopy", "", "", "from copy import deepcopy"},
	{"pprint", "", "pprint(", "from pprint import pprint"},
	{"BytesIO", "", "", "from io import BytesIO"},
	{"StringIO", "", "", "from io import StringIO"},
	{"ThreadPoolExecutor", "", "", "from concurrent.futures import ThreadPoolExecutor"},
}

// plainModules are imported under their own name.
var plainModules = strings.Fields(`os sys time random math json re copy itertools functools
	collections warnings threading multiprocessing pickle tempfile gc logging operator string
	struct contextlib dataclasses typing inspect io pathlib datetime statistics cmath
	decimal fractions platform traceback types uuid queue shutil glob csv hashlib heapq
	bisect enum abc asyncio importlib textwrap timeit`)

var typingNames = strings.Fields(`Any Callable ClassVar Dict Generator Generic Iterable Iterator
	List Literal Mapping NamedTuple Optional Sequence Set Tuple Type TypeVar Union`)

// addImports imports what is undefined and well known, right before the
// top-level statement that uses it first, so that nothing is imported earlier
// than the reporter's own settings.
func (c *Candidate) addImports() {
	f := c.parse(c.Script)
	undefined := f.Undefined()
	have := f.TopModules()
	for _, name := range undefined { // torch undefined means torch will be there for F
		have = append(have, name.Name)
	}
	type insertion struct {
		line int
		text string
	}
	var todo []insertion
	for _, name := range undefined {
		if statement := wellKnown(name.Name, have, c.Script); statement != "" {
			todo = append(todo, insertion{statementLine(f, name.Line), statement})
		}
	}
	slices.SortStableFunc(todo, func(a, b insertion) int { return b.line - a.line })
	lines := strings.Split(c.Script, "\n")
	for _, in := range todo { // from the end, so that earlier lines keep their numbers
		lines = slices.Insert(lines, in.line-1, in.text)
		c.shift(in.line, 1)
		c.edit(Edit{
			Kind: "add_import", Why: fmt.Sprintf("%s is used but never imported", lastWord(in.text)),
			Line: in.line, After: in.text,
		})
	}
	c.Script = strings.Join(lines, "\n")
}

func wellKnown(name string, have []string, script string) string {
	for _, a := range aliases {
		if a.name == name && (a.with == "" || slices.Contains(have, a.with)) && strings.Contains(script, a.uses) {
			return a.statement
		}
	}
	if slices.Contains(plainModules, name) {
		return "import " + name
	}
	if slices.Contains(typingNames, name) {
		return "from typing import " + name
	}
	return ""
}

// statementLine is the first line of the top-level statement at line.
func statementLine(f *pysyntax.File, line int) int {
	for _, s := range f.Statements {
		if s.Line <= line && line <= s.EndLine {
			return s.Line
		}
	}
	return line
}

func lastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }
