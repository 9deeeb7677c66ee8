package pydist

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNormalize(t *testing.T) {
	for in, want := range map[string]string{
		"Scikit_Learn": "scikit-learn", "ruamel.yaml": "ruamel-yaml", "a-_.b": "a-b",
		" POT ": "pot", "": "", "x_": "x-",
	} {
		if got := Normalize(in); got != want {
			t.Errorf("Normalize(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestNormalizeIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		once := Normalize(rapid.String().Draw(t, "name"))
		if twice := Normalize(once); twice != once {
			t.Fatalf("Normalize(%q) = %q", once, twice)
		}
		if strings.ContainsAny(once, "_.") || strings.Contains(once, "--") {
			t.Fatalf("%q is not normal", once)
		}
	})
}

// What a tracker's address says of the package: the name of the repository
// alone ("vision", "text", "data") is often another project's.
func TestFromRepo(t *testing.T) {
	for _, c := range []struct {
		repo, dist string
		known      bool
	}{
		{"pytorch/pytorch", "torch", true},
		{"pytorch/vision", "torchvision", true},
		{"pytorch/audio", "torchaudio", true},
		{"pytorch/text", "torchtext", true},
		{"pytorch/ao", "torchao", true},
		{"pytorch/rl", "torchrl", true},
		{"pytorch/ignite", "pytorch-ignite", true},
		{"PyTorchLightning/metrics", "torchmetrics", true},
		{"Lightning-AI/torchmetrics", "torchmetrics", true},
		{"somebody/metrics", "", false}, // not torch's family: nothing is guessed
		{"rusty1s/pytorch_scatter", "torch-scatter", true},
		{"pyg-team/pytorch_geometric", "torch-geometric", true},
		{"tensorflow/probability", "tensorflow-probability", true},
		{"tensorflow/addons", "tensorflow-addons", true},
		{"tensorflow/datasets", "tensorflow-datasets", true},
		{"deepmind/sonnet", "dm-sonnet", true},
		{"google-deepmind/dm-haiku", "dm-haiku", true},
		{"somebody/tree-house", "", false},
		{"huggingface/pytorch-image-models", "timm", true},
		{"openai/whisper", "openai-whisper", true},
		{"lmcinnes/umap", "umap-learn", true},
		{"scikit-learn/scikit-learn", "scikit-learn", true},
		{"huggingface/datasets", "datasets", true},
		{"no-slash", "", false},
		{"owner/", "", false},
		{"", "", false},
	} {
		if dist, known := FromRepo(c.repo); dist != c.dist || known != c.known {
			t.Errorf("FromRepo(%q) = %q, %v, want %q, %v", c.repo, dist, known, c.dist, c.known)
		}
	}
}

func TestFromImport(t *testing.T) {
	for _, c := range []struct {
		module, dist string
		known        bool
	}{
		{"ot", "pot", true},
		{"cv2", "opencv-python", true},
		{"sklearn", "scikit-learn", true},
		{"PIL", "pillow", true},
		{"yaml", "pyyaml", true},
		{"skimage", "scikit-image", true},
		{"bs4", "beautifulsoup4", true},
		{"dateutil", "python-dateutil", true},
		{"pytorch_lightning", "pytorch-lightning", true},
		{"lightning", "lightning", true},
		{"tensorflow", "tensorflow", true},
		{"haiku", "dm-haiku", true},
		{"google.protobuf", "protobuf", true},
		{"google.protobuf.message", "protobuf", true},
		{"google", "google", false},
		{"torch.nn.functional", "torch", true},
		{"attr", "attrs", true},
		{"never_heard.of", "never-heard", false},
		{"", "", false},
	} {
		dist, known := FromImport(c.module)
		if dist != c.dist || known != c.known {
			t.Errorf("FromImport(%q) = %q %v, want %q %v", c.module, dist, known, c.dist, c.known)
		}
	}
}

func TestFromWord(t *testing.T) {
	for word, want := range map[string]string{
		"tf": "tensorflow", "TF": "tensorflow", "pytorch": "torch", "PyTorch": "torch", "sklearn": "scikit-learn",
		"POT": "pot", "Keras": "keras", "HF transformers": "transformers", "lightning": "lightning",
		"pytorch  lightning": "pytorch-lightning", "np": "numpy", "cv2": "opencv-python", "PIL": "pillow",
		"tf.keras": "tensorflow", "tf-keras": "tf-keras", "scikit_learn": "scikit-learn", "xgb": "xgboost",
		"Stable Baselines3": "stable-baselines3", "Pillow": "pillow", "opencv": "opencv-python",
		"HuggingFace Transformers": "transformers", "ot": "pot", "PyG": "torch-geometric",
	} {
		if got, ok := FromWord(word); !ok || got != want {
			t.Errorf("FromWord(%q) = %q %v, want %q", word, got, ok, want)
		}
	}
	for _, word := range []string{"", " ", "the", "python", "bug", "Ubuntu", "cuda", "version", "not-a-package-at-all"} {
		if got, ok := FromWord(word); ok {
			t.Errorf("FromWord(%q) = %q, want nothing", word, got)
		}
	}
}

func TestFamiliesAndVariants(t *testing.T) {
	if got := Family("JAX"); !slices.Equal(got, []string{"jax", "jaxlib"}) {
		t.Errorf("Family(JAX) = %v", got)
	}
	if got := Family("torchvision"); !slices.Contains(got, "torch") || !slices.Contains(got, "torchaudio") {
		t.Errorf("Family(torchvision) = %v", got)
	}
	if got := Family("requests"); got != nil {
		t.Errorf("Family(requests) = %v, want nil", got)
	}
	if got := Variants("tensorflow"); len(got) == 0 || got[0] != "tensorflow-cpu" {
		t.Errorf("Variants(tensorflow) = %v", got)
	}
	if got := Variants("tensorflow_cpu"); !slices.Contains(got, "tensorflow") || slices.Contains(got, "tensorflow-cpu") {
		t.Errorf("Variants(tensorflow_cpu) = %v", got)
	}
	if got := Variants("numpy"); got != nil {
		t.Errorf("Variants(numpy) = %v, want nil", got)
	}
}

// TestResultsAreCopies keeps one caller from changing the table for all.
func TestResultsAreCopies(t *testing.T) {
	Family("jax")[0] = "spoiled"
	Imports("matplotlib")[0] = "spoiled"
	if Family("jax")[0] != "jax" || Imports("matplotlib")[0] != "matplotlib" {
		t.Error("a caller changed the table")
	}
}

func TestImports(t *testing.T) {
	for dist, want := range map[string][]string{
		"POT": {"ot"}, "Pillow": {"PIL"}, "setuptools": {"setuptools", "pkg_resources"},
		"rotary-embedding-torch": {"rotary_embedding_torch"}, "protobuf": {"google.protobuf"},
		"jupyter": nil, "some-thing": {"some_thing"}, "": nil,
	} {
		if got := Imports(dist); !slices.Equal(got, want) {
			t.Errorf("Imports(%q) = %v, want %v", dist, got, want)
		}
	}
}

func TestKnown(t *testing.T) {
	for name, want := range map[string]bool{"POT": true, "Pillow": true, "jupyter": true, "never-heard-of": false, "": false} {
		if Known(name) != want {
			t.Errorf("Known(%q) = %t", name, !want)
		}
	}
}

func TestStdlib(t *testing.T) {
	for _, name := range []string{
		"os", "os.path", "json", "asyncore", "distutils", "imp", "tomllib", "zoneinfo", "graphlib",
		"annotationlib", "compression", "_thread", "__future__", "sqlite3", "sys", "math", "binhex", "dataclasses",
	} {
		if !StdlibModule(name) {
			t.Errorf("StdlibModule(%q) = false", name)
		}
	}
	for _, name := range []string{"numpy", "", "six", "yaml", "attr", "_pytest", "setuptools"} {
		if StdlibModule(name) {
			t.Errorf("StdlibModule(%q) = true", name)
		}
	}
}

// TestTables holds the data files to their own rules.
func TestTables(t *testing.T) {
	all := rows("data/distributions.tsv")
	if len(all) < 400 {
		t.Fatalf("only %d distributions", len(all))
	}
	seen := map[string]bool{}
	for _, row := range all {
		if len(row) != 3 {
			t.Errorf("%q: %d columns, want 3", row[0], len(row))
			continue
		}
		if row[0] != Normalize(row[0]) || seen[row[0]] {
			t.Errorf("%q is not normal or comes twice", row[0])
		}
		seen[row[0]] = true
		if row[2] != strings.ToLower(row[2]) {
			t.Errorf("%q: words are lower case: %q", row[0], row[2])
		}
	}
	for _, file := range []string{"data/families.tsv", "data/variants.tsv"} {
		grouped := map[string]bool{}
		for _, row := range rows(file) {
			for _, dist := range row {
				if dist != Normalize(dist) || grouped[dist] {
					t.Errorf("%s: %q is not normal or in two groups", file, dist)
				}
				grouped[dist] = true
			}
		}
	}
}

// TestStdlibAgainstInterpreters asks every interpreter at hand.
func TestStdlibAgainstInterpreters(t *testing.T) {
	if os.Getenv("REPGEN_REAL") == "" {
		t.Skip("set REPGEN_REAL=1 to ask real interpreters")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	dirs, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions/3.*/lib/python3.*"))
	system, _ := filepath.Glob("/usr/lib/python3.*")
	dirs = append(dirs, system...)
	files := 0
	for _, dir := range dirs {
		found, _ := filepath.Glob(filepath.Join(dir, "*.py"))
		for _, f := range found {
			name := strings.TrimSuffix(filepath.Base(f), ".py")
			if name != "sitecustomize" && !strings.HasPrefix(name, "_") && !StdlibModule(name) {
				t.Errorf("%s is not in the list", f)
			}
			files++
		}
	}
	if files < 100 {
		t.Fatalf("only %d modules of real interpreters found", files)
	}
}

func BenchmarkFromWord(b *testing.B) {
	for b.Loop() {
		FromWord("HF transformers")
	}
}
