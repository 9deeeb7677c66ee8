package triage

import (
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
)

func TestFindGaps(t *testing.T) {
	cases := []struct {
		name, src string
		kind      gapKind // "" for a complete script
		what      string
	}{
		{"complete", "import numpy as np\nprint(np.ones(3))\n", "", ""},
		{"alias only", "print(np.ones(3), torch.ones(2))\n", "", ""},
		{"alias without its library", "print(nn.Linear(1, 1))\n", gapName, "nn"},
		{"alias with its library", "import torch\nprint(nn.Linear(1, 1), F.relu)\n", "", ""},
		{"notebook display", "import pandas as pd\ndisplay(pd.DataFrame())\n", "", ""},
		{"own class", "from stable_baselines3 import DQN\nDQN('MlpPolicy', WarehouseWrapper)\n", gapClass, "WarehouseWrapper"},
		{"own class called", "import torch\nmodel = TinyNet(3)\n", gapClass, "TinyNet"},
		{"library classes, imports left out", "from tinynet import deterministic\nmcmc = WALK(STEP(f), 5)\nmcmc.run(random2.PRNGKey(1))\n", gapName, "WALK"},
		{"well known class", "import sklearn\nx = ColumnTransformer([1])\n", "", ""}, // its import is added
		{"class that is always torch's", "import torch\nx = DataLoader([1])\n", "", ""},
		{"variable", "import jax\njax.grad(loss_fn)(1.0)\n", gapName, "loss_fn"},
		{"csv", "import pandas as pd\npd.read_csv('a.csv')\n", gapFile, "a.csv"},
		{"csv written before", "import pandas as pd\npd.DataFrame().to_csv('a.csv')\npd.read_csv('a.csv')\n", "", ""},
		{"opened for writing", "with open('a.txt', 'w') as f:\n    f.write('x')\nopen('a.txt').read()\n", "", ""},
		{"saved model", "from stable_baselines3 import PPO\na = PPO('MlpPolicy', 'CartPole-v1')\na.save('agent')\nPPO.load('agent.zip')\n", "", ""},
		{"name with the library's prefix", "import tinynet, pickle\ntinynet.fit(keep='net.pkl')\npickle.load(open('last_net.pkl', 'rb'))\n", "", ""},
		{"name with a number behind", "import tinynet, torch\ntinynet.fit('w/net.pt')\ntorch.load('w/net_10.pt')\n", "", ""},
		{"name of another file", "import tinynet, pickle\ntinynet.fit(keep='net.pkl')\npickle.load(open('subnet.pkl', 'rb'))\n", gapFile, "subnet.pkl"},
		{"name given later", "import tinynet, pickle\nd = pickle.load(open('last_net.pkl', 'rb'))\ntinynet.fit(keep='net.pkl')\n", gapFile, "last_net.pkl"},
		{"weights file", "import torch\ntorch.load('weights/best.pt')\n", gapFile, "weights/best.pt"},
		{"remote text", "import numpy as np\nnp.load(path_of_mine)\n", gapName, "path_of_mine"},
		{"hub", "from transformers import AutoModel\nAutoModel.from_pretrained('google-t5/t5-small')\n", gapDownload, "google-t5/t5-small"},
		{"hub, saved before", "from transformers import AutoModel, BertConfig\nm = AutoModel.from_config(BertConfig())\nm.save_pretrained('tiny')\nAutoModel.from_pretrained('tiny')\n", "", ""},
		{"local weights", "from transformers import AutoModel\nAutoModel.from_pretrained('./mine')\n", gapFile, "./mine"},
		{"mnist", "import keras\n(x, y), _ = keras.datasets.mnist.load_data()\n", gapDownload, "keras.datasets.mnist.load_data"},
		{"torchvision data", "import torchvision\nd = torchvision.datasets.MNIST('data', download=True)\n", gapDownload, "data"},
		{"fake data", "import torchvision\nd = torchvision.datasets.FakeData(3)\n", "", ""},
		{"timm without weights", "import timm\nm = timm.create_model('resnet18')\n", "", ""},
		{"timm with weights", "import timm\nm = timm.create_model('resnet18', pretrained=True)\n", gapDownload, "resnet18"},
		{"request", "import requests\nrequests.get('https://a.example/cat.png')\n", gapDownload, "https://a.example/cat.png"},
		{"own loader of that name", "def load_data():\n    return 1\n\n\nprint(load_data())\n", "", ""},
		{"own module", "from utils import seed_everything\nseed_everything(1)\n", gapModule, "utils"},
		{"relative import", "from .layers import Block\nBlock()\n", gapModule, ".layers"},
		{"guarded own module", "try:\n    import utils\nexcept ImportError:\n    utils = None\n", "", ""},
		{"three dots", "import numpy as np\ndata = ...\nprint(np.sum(data))\n", gapCut, "..."},
		{"three dots in a setting", "import os\nos.environ['KERAS_BACKEND'] = ...\n", gapCut, "..."},
		{"three dots in a stub", "class A:\n    def f(self): ...\n\n\nprint(A())\n", "", ""},
		{"three dots in an index", "import numpy as np\nprint(np.ones((2, 2))[..., 0])\n", "", ""},
		{"three dots as argument", "import numpy as np\nprint(np.ones(...))\n", gapCut, "..."},
		{"indentation", "import jax\nx = 1\n    y = 2\nprint(x, )\n", gapSyntax, ""},
		{"star import", "from torch import *\nprint(ones(3))\n", "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			gaps := findGaps(pysyntax.Parse(c.src))
			if c.kind == "" {
				if len(gaps) > 0 {
					t.Fatalf("found %v in a complete script", gaps)
				}
				return
			}
			if len(gaps) == 0 || gaps[0].kind != c.kind || c.what != "" && gaps[0].what != c.what {
				t.Fatalf("found %+v, want %s %q", gaps, c.kind, c.what)
			}
			if gaps[0].String() == "" || gaps[0].short() == "" {
				t.Error("the gap has no words")
			}
		})
	}
}

func TestOwnClass(t *testing.T) {
	for name, want := range map[string]bool{
		"WarehouseWrapper": true, "MyEnv": true, "TinyNet": true, "MCMC": false, "NUTS": false,
		"DataLoader": false, "Net": false, "lower": false, "X_train": false, "X": false, "Conv2d": false,
	} {
		if got := looksOwnClass(name); got != want {
			t.Errorf("looksOwnClass(%q) = %v", name, got)
		}
	}
}

// TestNotebookLinesAreNoGap: what a notebook printed between the lines of a
// script asks for no name of Out.
func TestNotebookLinesAreNoGap(t *testing.T) {
	d := Decide(handmade("wrong mean", "See below.", "import xarray as xr\nx = xr.DataArray([1, 2])\nx.shape\nOut[39]: (2,)\nprint(x.mean())"), Options{})
	if d.Route != Attempt || !strings.HasPrefix(d.Summary, "complete script") {
		t.Errorf("%s, %s: %q", d.Route, d.Summary, d.Missing)
	}
}

// TestAsksForAScriptWhereAPieceIsShown: code of the library itself, quoted to
// point at a line, is no script with a name too few.
func TestAsksForAScriptWhereAPieceIsShown(t *testing.T) {
	const quoted = "# lib warns of its own call\n\nUserWarning: step(epoch) is deprecated\n\nI found this in lib:\n\n```python\ndef step(self):\n    k = bisect_right(self.marks, self.last)\n    self.all[k].step(0)\n```\n\nlib 1.2.0\n"
	d := Decide(report.Parse([]byte(quoted), report.Source{}), Options{})
	if d.Route != NeedsModel || !slices.Contains(d.Missing, scriptAsk) {
		t.Errorf("%s asks for %q", d.Route, d.Missing)
	}
}
