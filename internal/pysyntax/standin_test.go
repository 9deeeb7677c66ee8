package pysyntax

import (
	"strings"
	"testing"
)

// applied is a source with its stand-ins, the prologues as lines in front.
func applied(src string) (out string, kinds []string) {
	var changes []Change
	var prologue []string
	for _, s := range StandIns(src) {
		changes = append(changes, s.Changes...)
		if s.Prologue != "" {
			prologue = append(prologue, s.Prologue)
		}
		kinds = append(kinds, s.Kind+" "+s.What)
	}
	return strings.Join(append(prologue, Apply(src, changes)), "\n"), kinds
}

func TestStandIns(t *testing.T) {
	for _, tc := range []struct {
		name, code, kinds string
		has               []string
	}{
		{"a picture that is resized", "from PIL import Image\nimg = Image.open('a/x.jpg').resize((8, 8))\n", "file a/x.jpg", []string{`makedirs("a", exist_ok=True)`, `.save("a/x.jpg")`}},
		{"a picture of the reporter's own machine", "import cv2\np = 1\nimg = cv2.imread('/home/me/x.png')\nimg = cv2.resize(img, (8, 8))\n", "file x.png", []string{`.save("x.png")`, `cv2.imread("x.png")`}},
		{"a picture of unknown size", "from PIL import Image\nimg = Image.open('x.jpg')\nprint(img.size)\n", "", nil},
		{"an array with its shape", "import numpy as np\nx = np.load('x.npy')  # shape (10, 3), float32\n", "file x.npy", []string{`standard_normal((10, 3)).astype("float32")`}},
		{"an array with an assert", "import numpy as np\nx = np.load('x.npy')\nassert x.shape == (4,)\n", "file x.npy", []string{"standard_normal((4,))"}},
		{"an array of unknown shape", "import numpy as np\nx = np.load('x.npy')\n", "", nil},
		{"an array that the script saves", "import numpy as np\nnp.save('x.npy', [1])\nx = np.load('x.npy')  # (1,)\n", "", nil},
		{"a table", "import pandas as pd\ndf = pd.read_csv('x.csv')\nx, y = df[['a', \"b\"]], df['c']\n", "file x.csv", []string{`"a,b,c\n"`}},
		{"a table as a whole", "import pandas as pd\ndf = pd.read_csv('x.csv')\nf(df, df['c'])\n", "", nil},
		{"a table of text", "import pandas as pd\ndf = pd.read_csv('x.csv')\nx = df['a'].str.lower()\n", "", nil},
		{"a table with an index", "import pandas as pd\ndf = pd.read_csv('x.csv', index_col=0)\nx = df['a']\n", "", nil},
		{"a published model", "from transformers import BertModel\nm = BertModel.from_pretrained('bert-base-uncased', output_attentions=True, cache_dir='x')\n", "weights bert-base-uncased", []string{`m = BertModel(__import__("transformers").BertConfig(num_hidden_layers=2, output_attentions=True)).eval()`}},
		{"an automatic model", "import transformers, torch\nm = transformers.AutoModelForCausalLM.from_pretrained('gpt2', torch_dtype=torch.float16)\n", "weights gpt2", []string{`transformers.AutoModelForCausalLM.from_config(__import__("transformers").GPT2Config(n_layer=2)).to(torch.float16).eval()`}},
		{"a model with its tokenizer", "from transformers import AutoTokenizer, AutoModel\nt = AutoTokenizer.from_pretrained('gpt2')\nm = AutoModel.from_pretrained('gpt2')\n", "", nil},
		{"a model of unknown sizes", "from transformers import AutoModel\nm = AutoModel.from_pretrained('me/model')\n", "", nil},
		{"a model in an unknown way", "from transformers import AutoModel\nm = AutoModel.from_pretrained('gpt2', quantization_config=x)\n", "", nil},
		{"a vision model", "import torchvision\nm = torchvision.models.resnet18(pretrained=True)\nn = torchvision.models.resnet18(weights='DEFAULT')\n", "weights resnet18 weights resnet18", []string{"(pretrained=False)", "(weights=None)"}},
		{"a vision model without weights", "import torchvision\nm = torchvision.models.resnet18(pretrained=False)\n", "", nil},
		{"a keras application", "import keras\nm = keras.applications.ResNet50(include_top=False,)\nn = keras.applications.VGG16(weights='imagenet')\n", "weights ResNet50 weights VGG16", []string{"(include_top=False,weights=None)", "(weights=None)"}},
		{"weights of the reporter's own", "import torch\nm = torch.nn.Linear(1, 1)\nm.load_state_dict(torch.load('m.pt'))\n", "weights m.pt", []string{"\npass\n"}},
		{"weights of the script", "import torch\nm = torch.nn.Linear(1, 1)\ntorch.save(m.state_dict(), 'm.pt')\nm.load_state_dict(torch.load('m.pt'))\n", "", nil},
		{"a public data set", "from tensorflow import keras\n(a, b), (c, d) = keras.datasets.mnist.load_data()\n", "data mnist", []string{"(60000, 28, 28)", "RandomState(0)"}},
		{"a public data set for torch", "import torchvision\nd = torchvision.datasets.CIFAR10('.', train=True, download=True, transform=f)\n", "data CIFAR10", []string{`FakeData(1000, (3, 32, 32), 10, transform=f)`}},
		{"a function of that name", "import numpy as np\ndef load(x): return x\nload('x.npy')  # (1, 2)\n", "", nil},
		{"what does not parse", "import numpy as np\nx = np.load('x.npy'  # (1, 2)\n", "", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, kinds := applied(tc.code)
			if got := strings.Join(kinds, " "); got != tc.kinds {
				t.Fatalf("stand-ins %q, want %q", got, tc.kinds)
			}
			for _, want := range tc.has {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			if tc.kinds == "" {
				return
			}
			f := Parse(out)
			if len(f.SyntaxErrors) > 0 {
				t.Errorf("%v in\n%s", f.SyntaxErrors, out)
			}
			before := len(Parse(tc.code).Undefined())
			if len(f.Undefined()) > before {
				t.Errorf("undefined %v", f.Undefined())
			}
		})
	}
}
