package onnx_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"testing"

	"github.com/repgen/repgen/internal/codebase/embed/onnx"
	"github.com/repgen/repgen/internal/codebase/models"
	"github.com/repgen/repgen/internal/codebase/models/modelstest"
)

// reference embeds by another program in another language, from the weights
// themselves: a plain forward pass of numpy over the published tokenizer.
const reference = `
import json, struct, sys, math
import numpy as np
from tokenizers import Tokenizer
d, texts = json.load(sys.stdin)
raw = open(d + "/model.safetensors", "rb").read()
n = struct.unpack("<Q", raw[:8])[0]
W = {k: np.frombuffer(raw[8+n+v["data_offsets"][0]:8+n+v["data_offsets"][1]], np.float32).reshape(v["shape"]).astype(np.float64)
     for k, v in json.loads(raw[8:8+n]).items() if k != "__metadata__" and v["dtype"] == "F32"}
c = json.load(open(d + "/config.json"))
tok = Tokenizer.from_file(d + "/tokenizer.json")
tok.no_padding(); tok.enable_truncation(256)
erf = np.vectorize(math.erf)
def norm(x, p):
    m = x.mean(-1, keepdims=True); v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) / np.sqrt(v + c["layer_norm_eps"]) * W[p + ".weight"] + W[p + ".bias"]
def dense(x, p): return x @ W[p + ".weight"].T + W[p + ".bias"]
out = []
for text in texts:
    ids = tok.encode(text).ids
    e = "embeddings."
    x = norm(W[e+"word_embeddings.weight"][ids] + W[e+"position_embeddings.weight"][:len(ids)] + W[e+"token_type_embeddings.weight"][0], e+"LayerNorm")
    h = c["num_attention_heads"]
    for l in range(c["num_hidden_layers"]):
        p = f"encoder.layer.{l}."
        q, k, v = (dense(x, p+"attention.self."+s).reshape(len(ids), h, -1).transpose(1, 0, 2) for s in ("query", "key", "value"))
        s = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        s = np.exp(s - s.max(-1, keepdims=True)); s /= s.sum(-1, keepdims=True)
        a = (s @ v).transpose(1, 0, 2).reshape(len(ids), -1)
        x = norm(dense(a, p+"attention.output.dense") + x, p+"attention.output.LayerNorm")
        f = dense(x, p+"intermediate.dense")
        x = norm(dense(f * 0.5 * (1 + erf(f / math.sqrt(2))), p+"output.dense") + x, p+"output.LayerNorm")
    m = x.mean(0)
    out.append((m / np.linalg.norm(m)).tolist())
json.dump(out, sys.stdout)
`

// pythonVariable names a Python with numpy and tokenizers.
const pythonVariable = "REPGEN_TEST_PYTHON"

var compared = []string{
	"The loss becomes NaN after a few hundred steps with mixed precision.",
	"def fit(self, x=None, y=None, batch_size=None, epochs=1):\n    return self._fit(x, y, batch_size, epochs)",
	"", "a", "naïve café ΣΟΦΟΣ", "损失变成 NaN 了", "model.fit(x_train, y_train) -> ValueError: Shapes (None, 1) and (None, 10) are incompatible",
	"class SparseCategoricalCrossentropy(LossFunctionWrapper): computes the crossentropy loss between the labels and predictions",
}

// TestRealPython: the vectors are those of the published model, computed by a
// plain forward pass in Python.
func TestRealPython(t *testing.T) {
	in := modelstest.Pull(t, models.DefaultEmbedder)
	python := os.Getenv(pythonVariable)
	if python == "" {
		python = "python3"
	}
	e := open(t, onnx.Options{Model: in})
	defer func() { _ = e.Close() }()
	texts := append([]string{}, compared...)
	long := ""
	for range 60 {
		long += "for step, (images, labels) in enumerate(loader): optimizer.zero_grad()\n"
	}
	texts = append(texts, long)
	got, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	question, err := json.Marshal([]any{in.Dir, texts})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", reference)
	cmd.Stdin = bytes.NewReader(question)
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	answer, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s needs numpy and tokenizers (%s names another Python): %v %s", python, pythonVariable, err, errOut.String())
	}
	var want [][]float64
	if err := json.Unmarshal(answer, &want); err != nil {
		t.Fatal(err)
	}
	worst := 1.0
	for i := range texts {
		cosine := 0.0
		for j := range want[i] {
			cosine += want[i][j] * float64(got[i][j])
		}
		worst = math.Min(worst, cosine)
	}
	t.Logf("worst cosine %.8f", worst)
	if worst < 0.999999 {
		t.Errorf("worst cosine %.8f", worst)
	}
}
