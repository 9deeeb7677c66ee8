package models_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/codebase/models"
	"github.com/repgen/repgen/internal/codebase/ort/encoder"
	"github.com/repgen/repgen/internal/codebase/ort/onnxfile"
	"github.com/repgen/repgen/internal/codebase/ort/orttest"
)

// write puts files into a folder.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// own is a folder with a model that could be somebody's.
func own(t *testing.T, s orttest.Spec) string {
	t.Helper()
	dir := t.TempDir()
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestImportFolder(t *testing.T) {
	r := newRig(t, tiny(nil), nil)
	dir := own(t, orttest.Spec{})
	write(t, dir, map[string]string{"README.md": "words", "pytorch_model.bin": "pickle", "sentence_bert_config.json": `{"max_seq_length": 100}`})
	in, err := r.Import(t.Context(), dir, models.ImportOptions{Name: "mine", Licence: "MIT"})
	if err != nil {
		t.Fatal(err)
	}
	if in.Kind != models.Embedder || in.Dims != 32 || in.MaxTokens != 100 || len(in.Files) != 3 {
		t.Errorf("%+v", in)
	}
	got, err := r.Path("mine")
	if err != nil || got.Dir != in.Dir || got.Licence != "MIT" {
		t.Errorf("%+v %v", got, err)
	}
	if v, err := r.Verify(t.Context(), "mine"); err != nil || !v.OK {
		t.Errorf("%+v %v", v, err)
	}
	list, err := r.List()
	if err != nil || len(list) != 2 || list[1].Name != "mine" || !list[1].Present {
		t.Errorf("%+v %v", list, err)
	}
	damage(t, in.Dir, "vocab.txt", func([]byte) []byte { return nil })
	if _, err := r.Pull(t.Context(), "mine"); !errors.Is(err, models.ErrMissing) {
		t.Errorf("what nobody else has was pulled: %v", err)
	}
	if _, err := r.Import(t.Context(), dir, models.ImportOptions{Name: "mine"}); err != nil {
		t.Errorf("again: %v", err)
	}
	r.wantClean(t)
}

// TestImportPipes: a pipe among a model's files is not waited for.
func TestImportPipes(t *testing.T) {
	for _, name := range []string{"sentence_bert_config.json", "other.onnx", "model.safetensors"} {
		r := newRig(t, tiny(nil), nil)
		dir := own(t, orttest.Spec{})
		pipe := filepath.Join(dir, name)
		if err := errors.Join(os.RemoveAll(pipe), unix.Mkfifo(pipe, 0o600)); err != nil {
			t.Fatal(err)
		}
		from := dir
		if name == "other.onnx" {
			from = pipe
		}
		done := make(chan error, 1)
		go func() {
			_, err := r.Import(t.Context(), from, models.ImportOptions{Name: "mine"})
			done <- err
		}()
		select {
		case err := <-done:
			if (err == nil) != (name == "sentence_bert_config.json") {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: it waits", name)
		}
	}
}

func TestImportCrossEncoder(t *testing.T) {
	r := newRig(t, tiny(nil), nil)
	dir := own(t, orttest.Spec{Cross: true})
	in, err := r.Import(t.Context(), filepath.Join(dir, "model.safetensors"), models.ImportOptions{Name: "mine"})
	if err != nil || in.Kind != models.Reranker || in.MaxTokens != 128 {
		t.Fatalf("%+v %v", in, err)
	}
	if _, err := r.Import(t.Context(), dir, models.ImportOptions{Name: "mine", Kind: models.Embedder}); err == nil {
		t.Error("a cross-encoder was taken for an embedder")
	}
}

// onnx is a small ONNX model with these inputs and this output.
func onnx(inputs []string, kind int64, output string) string {
	g := &onnxfile.Graph{Name: "g"}
	for _, in := range inputs {
		g.Input(in, kind, "batch", "sequence")
	}
	x := g.Node("", "Cast", []string{inputs[0]}, output, onnxfile.Attr{Name: "to", Value: int64(onnxfile.Float)})
	g.Output(x, "batch", "8")
	return string(g.Model())
}

func TestImportONNX(t *testing.T) {
	usual := []string{"input_ids", "attention_mask"}
	for name, c := range map[string]struct {
		files map[string]string
		want  string // "" for success
	}{
		"good":              {map[string]string{"model.onnx": onnx(usual, onnxfile.Int64, "sentence_embedding"), "vocab.txt": "a"}, ""},
		"exporter's folder": {map[string]string{"onnx/model.onnx": onnx(usual, onnxfile.Int64, "last_hidden_state"), "vocab.txt": "a"}, ""},
		"pooling above it":  {map[string]string{"onnx/model.onnx": onnx(usual, onnxfile.Int64, "last_hidden_state"), "vocab.txt": "a", "1_Pooling/config.json": `{"pooling_mode_cls_token":true}`}, "pools by the first token"},
		"another name":      {map[string]string{"small.onnx": onnx(usual, onnxfile.Int64, "sentence_embedding"), "vocab.txt": "a"}, ""},
		"reranker":          {map[string]string{"model.onnx": onnx(usual, onnxfile.Int64, "logits"), "vocab.txt": "a"}, ""},
		"two of them":       {map[string]string{"a.onnx": "", "b.onnx": "", "vocab.txt": "a"}, "neither model.safetensors nor"},
		"no tokenizer":      {map[string]string{"model.onnx": onnx(usual, onnxfile.Int64, "sentence_embedding")}, "no tokenizer"},
		"another output":    {map[string]string{"model.onnx": onnx(usual, onnxfile.Int64, "scores"), "vocab.txt": "a"}, "no output sentence_embedding, last_hidden_state"},
		"another input":     {map[string]string{"model.onnx": onnx(append(usual, "pixel_values"), onnxfile.Int64, "last_hidden_state"), "vocab.txt": "a"}, `its input "pixel_values"`},
		"an input too few":  {map[string]string{"model.onnx": onnx(usual[:1], onnxfile.Int64, "last_hidden_state"), "vocab.txt": "a"}, "no input attention_mask"},
		"32-bit inputs":     {map[string]string{"model.onnx": onnx(usual, onnxfile.Int32, "last_hidden_state"), "vocab.txt": "a"}, "takes int32, not int64"},
		"no model":          {map[string]string{"model.onnx": "words that are no model", "vocab.txt": "a"}, "not a whole ONNX model"},
		"empty":             {map[string]string{"model.onnx": "", "vocab.txt": "a"}, "no file with something in it"},
		"other pooling":     {map[string]string{"model.onnx": onnx(usual, onnxfile.Int64, "last_hidden_state"), "vocab.txt": "a", "1_Pooling/config.json": `{"pooling_mode_cls_token":true}`}, "pools by the first token"},
		"cut weights":       {map[string]string{"model.safetensors": "12345678901234", "config.json": `{}`, "vocab.txt": "a"}, "0 layers"},
		"no configuration":  {map[string]string{"model.safetensors": "12345678901234", "vocab.txt": "a"}, "configuration"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, tiny(nil), nil)
			dir := t.TempDir()
			write(t, dir, c.files)
			in, err := r.Import(t.Context(), dir, models.ImportOptions{Name: "mine"})
			if c.want == "" {
				if err != nil || in.MaxTokens != 256 {
					t.Fatalf("%+v %v", in, err)
				}
				return
			}
			var e *models.ImportError
			if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v", err)
			}
			r.wantClean(t)
		})
	}
}

// TestImportNames: what an unusable ONNX model has is listed.
func TestImportNames(t *testing.T) {
	r := newRig(t, tiny(nil), nil)
	dir := t.TempDir()
	write(t, dir, map[string]string{"model.onnx": onnx([]string{"image"}, onnxfile.Float, "classes"), "vocab.txt": "a"})
	_, err := r.Import(t.Context(), dir, models.ImportOptions{Name: "mine"})
	var unusable *encoder.ModelError
	if !errors.As(err, &unusable) || !strings.Contains(err.Error(), "inputs image float32[batch,sequence]; outputs classes float32[batch,8]") {
		t.Errorf("%v", err)
	}
}

// TestImportKnown: under a known name only that model's files are taken.
func TestImportKnown(t *testing.T) {
	r := newRig(t, tiny(nil), func(o *models.Options) { o.Offline = true })
	dir := t.TempDir()
	write(t, dir, map[string]string{"model.safetensors": string(weights), "vocab.txt": string(vocab), "tokenizer.json": "{}"})
	in, err := r.Import(t.Context(), dir, models.ImportOptions{Name: "tiny"})
	if err != nil || in.Revision != "abc123" || len(in.Files) != 2 {
		t.Fatalf("%+v %v", in, err)
	}
	if _, err := r.Pull(t.Context(), "tiny"); err != nil {
		t.Errorf("not taken for the model: %v", err)
	}
	write(t, dir, map[string]string{"vocab.txt": "others"})
	if _, err := r.Import(t.Context(), dir, models.ImportOptions{Name: "tiny"}); !errors.Is(err, models.ErrHash) {
		t.Errorf("%v", err)
	}
	if err := os.Remove(filepath.Join(dir, "vocab.txt")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Import(t.Context(), dir, models.ImportOptions{Name: "tiny"}); err == nil || !strings.Contains(err.Error(), "needs vocab.txt") {
		t.Errorf("%v", err)
	}
	if _, err := r.Path("tiny"); err != nil {
		t.Errorf("a failed import harmed what was there: %v", err)
	}
}

func TestImportRuntime(t *testing.T) {
	library := []byte("\x7fELF ... OrtGetApiBase ...")
	entries := []models.Entry{{
		Name: models.RuntimeName, Kind: models.Runtime, Revision: "1", Files: []models.File{{Path: "libonnxruntime.so", Size: int64(len(library)), SHA256: sum(library)}},
	}}
	r := newRig(t, entries, nil)
	dir := t.TempDir()
	write(t, dir, map[string]string{"libonnxruntime.so.1.32.0": string(library), "libonnxruntime_other.so": "words"})
	in, err := r.Import(t.Context(), filepath.Join(dir, "libonnxruntime.so.1.32.0"), models.ImportOptions{Name: models.RuntimeName})
	if err != nil || in.Files[0].Path != "libonnxruntime.so" {
		t.Fatalf("%+v %v", in, err)
	}
	for path, name := range map[string]string{"libonnxruntime.so.1.32.0": "other", "libonnxruntime_other.so": models.RuntimeName} {
		if _, err := r.Import(t.Context(), filepath.Join(dir, path), models.ImportOptions{Name: name}); err == nil {
			t.Errorf("%s was taken as %s", path, name)
		}
	}
}

// TestImportRuntimeFolder checks that the folder of a pulled runtime can be
// brought to a machine without a network.
func TestImportRuntimeFolder(t *testing.T) {
	library := "\x7fELF ... OrtGetApiBase ..."
	r := newRig(t, []models.Entry{{
		Name: models.RuntimeName, Kind: models.Runtime, Revision: "1", Files: []models.File{{Path: "libonnxruntime.so", Size: int64(len(library)), SHA256: sum([]byte(library))}},
	}}, nil)
	dir := t.TempDir()
	write(t, dir, map[string]string{"libonnxruntime.so": library, "installed.json": "{}"})
	in, err := r.Import(t.Context(), dir, models.ImportOptions{Name: models.RuntimeName})
	if err != nil || len(in.Files) != 1 || in.Files[0].Path != "libonnxruntime.so" {
		t.Fatalf("%+v, %v", in, err)
	}
}

func TestImportRefuses(t *testing.T) {
	r := newRig(t, tiny(nil), nil)
	for _, c := range [][2]string{{"/none/at/all", "mine"}, {t.TempDir(), "mine"}, {own(t, orttest.Spec{}), "../mine"}, {"/dev/null", "mine"}} {
		_, err := r.Import(t.Context(), c[0], models.ImportOptions{Name: c[1]})
		var e *models.ImportError
		if !errors.As(err, &e) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// TestImportHoles: a file that says that it has a terabyte is not copied until the
// disk is full.
func TestImportHoles(t *testing.T) {
	r := newRig(t, tiny(nil), nil)
	for _, name := range []string{encoder.SafetensorsFile, encoder.ONNXFile, encoder.ConfigFile} {
		dir := own(t, orttest.Spec{})
		if name == encoder.ONNXFile {
			if err := os.Remove(filepath.Join(dir, encoder.SafetensorsFile)); err != nil {
				t.Fatal(err)
			}
		}
		f, err := os.Create(filepath.Join(dir, name))
		if err == nil {
			err = errors.Join(f.Truncate(1<<40), f.Close())
		}
		if errors.Is(err, unix.EFBIG) || errors.Is(err, unix.ENOSPC) {
			t.Skip("this file system takes no file with such a hole: " + err.Error())
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Import(t.Context(), dir, models.ImportOptions{Name: "mine"})
		var refused *models.ImportError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), "at most") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
