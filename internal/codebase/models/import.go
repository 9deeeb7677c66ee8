package models

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/codebase/ort/encoder"
	"github.com/repgen/repgen/internal/system"
)

// ImportOptions say what is imported. Only Name must be set.
type ImportOptions struct {
	Name string
	// Kind is guessed from the model when it is "".
	Kind Kind
	// MaxTokens and Dims: 0 takes them from the model's own files.
	MaxTokens, Dims int
	Licence         string
}

// ImportError says why a folder or file cannot be imported.
type ImportError struct {
	What string
	Next string
	Err  error
}

func (e *ImportError) Error() string { return "import: " + e.What }

// Unwrap gives the cause.
func (e *ImportError) Unwrap() error { return e.Err }

// Import copies a model (a folder, or one of its weight files) or a runtime
// (a library) into the cache and checks that it can be used. Under a name of
// the manifest the files must be those of the manifest; under another one their
// hashes are recorded. An import of the same name is replaced. *ImportError.
func (m *Models) Import(ctx context.Context, path string, o ImportOptions) (_ *Installed, err error) {
	if !nameForm.MatchString(o.Name) {
		return nil, &ImportError{What: fmt.Sprintf("the name %.80q cannot be used", o.Name), Next: "choose one of small letters, digits, '.', '_' and '-'"}
	}
	origin, files, err := gather(path)
	if err != nil {
		return nil, err
	}
	unlock, err := m.lock(ctx, o.Name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	dir := filepath.Join(m.dir, stagingMark+o.Name+"@import")
	if err := errors.Join(system.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return nil, fmt.Errorf("import %s: %w", o.Name, err)
	}
	in, err := m.copyIn(ctx, files, origin, dir, o)
	if err == nil {
		err = m.settle(ctx, in, dir)
	}
	if err != nil {
		return nil, errors.Join(err, system.RemoveAll(dir))
	}
	return in, nil
}

// modelFiles are the names that are taken from a folder, with whether the model
// needs them.
var modelFiles = []string{encoder.SafetensorsFile, encoder.ONNXFile, encoder.ConfigFile, "vocab.txt", "tokenizer.json"}

// gather finds the files of a model or a runtime (name in the cache to path)
// and the folder they belong to.
func gather(path string) (dir string, files map[string]string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", nil, &ImportError{What: err.Error(), Next: "give a folder or a file that is there", Err: err}
	}
	files = map[string]string{}
	dir, weights := path, ""
	if !info.IsDir() {
		dir, weights = filepath.Dir(path), filepath.Base(path)
	}
	if name, ok := libraryName(weights); ok {
		files[name] = path
		return dir, files, nil
	}
	for _, name := range modelFiles {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			files[name] = filepath.Join(dir, name)
		}
	}
	if weights == "" {
		weights = findWeights(dir, files)
	}
	if weights == "" && addRuntime(dir, files) {
		return dir, files, nil
	}
	switch filepath.Ext(weights) {
	case ".safetensors":
		delete(files, encoder.ONNXFile)
		files[encoder.SafetensorsFile] = filepath.Join(dir, weights)
	case ".onnx":
		delete(files, encoder.SafetensorsFile)
		files[encoder.ONNXFile] = filepath.Join(dir, weights)
	default:
		return "", nil, &ImportError{
			What: fmt.Sprintf("%s has neither model.safetensors nor an .onnx file", path),
			Next: "give a folder with model.safetensors and config.json, or with model.onnx, and with vocab.txt or tokenizer.json; pytorch_model.bin is not read (it can run code)",
		}
	}
	return dir, files, wantTokenizer(path, files)
}

func wantTokenizer(path string, files map[string]string) error {
	if files["vocab.txt"] == "" && files["tokenizer.json"] == "" {
		return &ImportError{What: path + " has no tokenizer", Next: "put vocab.txt or tokenizer.json beside the weights"}
	}
	return nil
}

// findWeights looks for the weights of a folder: the usual name, else the only
// .onnx file, also in the folder onnx, where exporters put it.
func findWeights(dir string, files map[string]string) string {
	if files[encoder.SafetensorsFile] != "" {
		return encoder.SafetensorsFile
	}
	if files[encoder.ONNXFile] != "" {
		return encoder.ONNXFile
	}
	for _, sub := range []string{".", "onnx"} {
		list, err := os.ReadDir(filepath.Join(dir, sub))
		if err != nil {
			continue
		}
		var found []string
		for _, e := range list {
			if filepath.Ext(e.Name()) == ".onnx" && e.Type().IsRegular() {
				found = append(found, filepath.Join(sub, e.Name()))
			}
		}
		if i := slices.Index(found, filepath.Join(sub, encoder.ONNXFile)); i >= 0 {
			return found[i]
		}
		if len(found) == 1 {
			return found[0]
		}
	}
	return ""
}

// libraryName recognises onnxruntime's library by its file name.
func libraryName(file string) (string, bool) {
	if !strings.HasPrefix(file, "libonnxruntime") {
		return "", false
	}
	if strings.HasSuffix(file, ".dylib") {
		return "libonnxruntime.dylib", true
	}
	return "libonnxruntime.so", strings.Contains(file, ".so")
}

// addRuntime takes the library from a folder as a pull leaves it.
func addRuntime(dir string, files map[string]string) bool {
	for _, name := range []string{"libonnxruntime.so", "libonnxruntime.dylib"} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			clear(files)
			files[name] = path
			return true
		}
	}
	return false
}

// copyIn copies the files and finds out what they are.
func (m *Models) copyIn(ctx context.Context, files map[string]string, origin, dir string, o ImportOptions) (*Installed, error) {
	in := &Installed{Source: "imported by the user", Time: m.o.Now().UTC()}
	in.Entry = Entry{Name: o.Name, Kind: o.Kind, Revision: importedRevision, Licence: o.Licence, MaxTokens: o.MaxTokens, Dims: o.Dims, Sources: []Source{}}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		m.o.Progress(Event{Name: o.Name, File: name})
		f, err := copyFile(ctx, files[name], filepath.Join(dir, name))
		if err != nil {
			return nil, &ImportError{What: err.Error(), Err: err}
		}
		f.Path = name
		in.Files = append(in.Files, f)
	}
	m.o.Progress(Event{Name: o.Name})
	if e, ok := m.known(o.Name); ok {
		return m.asKnown(in, e, origin, dir)
	}
	if files[encoder.SafetensorsFile] == "" && files[encoder.ONNXFile] == "" {
		return nil, &ImportError{What: "a runtime is imported under the name " + RuntimeName, Next: "--name " + RuntimeName + ", or set REPGEN_ONNXRUNTIME to the library"}
	}
	if err := in.inspect(dir, origin); err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, &ImportError{What: err.Error(), Err: err}
	}
	return in, nil
}

// asKnown takes imported files for an entry of the manifest.
func (m *Models) asKnown(in *Installed, e Entry, origin, dir string) (*Installed, error) {
	have := map[string]File{}
	for _, f := range in.Files {
		have[f.Path] = f
	}
	memory := m.recorded()
	in.Entry = e
	in.Files = nil
	for _, f := range e.Files {
		got, ok := have[f.Path]
		if !ok && f.Optional {
			continue
		}
		if !ok {
			return nil, &ImportError{What: fmt.Sprintf("%s needs %s, which is not there", e.Name, f.Path), Next: "add it, or choose another --name"}
		}
		if old, known := memory[key(e, f.Path)]; f.Unknown && known {
			f = old
		}
		if f.Unknown {
			in.Recorded = append(in.Recorded, f.Path)
		} else if what := differs(f, got.Size, got.SHA256); what != "" {
			return nil, &ImportError{What: fmt.Sprintf("%s is not the one of %s: %s", f.Path, e.Name, what), Next: "choose another --name to use it as your own", Err: ErrHash}
		}
		delete(have, f.Path)
		in.Files = append(in.Files, got)
	}
	for extra := range have {
		if err := os.Remove(filepath.Join(dir, extra)); err != nil {
			return nil, fmt.Errorf("import %s: %w", e.Name, err)
		}
	}
	if e.Kind == Runtime || len(in.Recorded) == 0 {
		return in, nil // hashes say all
	}
	return in, in.inspect(dir, origin)
}

// inspect finds kind, dimensions and length from the model and the files beside
// its origin.
func (in *Installed) inspect(dir, origin string) error {
	kinds := []Kind{Embedder, Reranker}
	if in.Kind != "" {
		kinds = []Kind{in.Kind}
	}
	var first error
	for _, k := range kinds {
		want := encoder.Vectors
		if k == Reranker {
			want = encoder.Scores
		}
		dims, err := encoder.Inspect(dir, want)
		if err == nil {
			in.Kind, first = k, nil
			if dims > 0 {
				in.Dims = dims
			}
			break
		}
		if first == nil {
			first = err
		}
	}
	if first != nil {
		next := ""
		var unusable *encoder.ModelError
		if errors.As(first, &unusable) {
			next = unusable.Next
		}
		return &ImportError{What: first.Error(), Next: next, Err: first}
	}
	facts := readFacts(origin)
	if facts.otherPooling != "" && in.Kind == Embedder {
		return &ImportError{What: "the model pools by " + facts.otherPooling + ", here the mean is used", Next: "export it to ONNX with the output sentence_embedding"}
	}
	if in.MaxTokens == 0 {
		in.MaxTokens = facts.tokens
	}
	return nil
}

// facts are what a model's other files say.
type facts struct {
	tokens       int
	otherPooling string // "" for the mean, or when nothing is said
}

// defaultTokens is what encoders of this kind take where their files say
// nothing.
const defaultTokens = 256

// readFacts looks beside the weights: what cannot be read says nothing.
func readFacts(dir string) facts {
	read := func(name string, v any) {
		data, err := readSmall(filepath.Join(dir, name))
		if err == nil {
			_ = json.Unmarshal(data, v) // what is not understood stays at zero
		}
	}
	var sentence struct {
		Max int `json:"max_seq_length"`
	}
	var config struct {
		Max int `json:"max_position_embeddings"`
	}
	var pooling struct {
		CLS bool `json:"pooling_mode_cls_token"`
		Max bool `json:"pooling_mode_max_tokens"`
	}
	read("sentence_bert_config.json", &sentence)
	read(encoder.ConfigFile, &config)
	read(filepath.Join("1_Pooling", "config.json"), &pooling)
	f := facts{tokens: defaultTokens}
	if config.Max > 0 {
		f.tokens = min(512, config.Max)
	}
	if sentence.Max > 0 {
		f.tokens = min(sentence.Max, max(f.tokens, defaultTokens))
	}
	switch {
	case pooling.CLS:
		f.otherPooling = "the first token"
	case pooling.Max:
		f.otherPooling = "the maximum"
	}
	return f
}

// copyFile copies a regular file and hashes it.
func copyFile(ctx context.Context, from, to string) (f File, err error) {
	in, err := os.OpenFile(from, os.O_RDONLY|unix.O_NONBLOCK, 0) // a pipe is not waited for
	if err != nil {
		return f, err
	}
	defer func() { _ = in.Close() }()
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return f, errors.Join(fmt.Errorf("%s is no file with something in it", from), err)
	}
	if err := fits(in, filepath.Dir(to)); err != nil {
		return f, err
	}
	if _, ok := libraryName(filepath.Base(to)); ok {
		if err := isRuntime(in); err != nil {
			return f, err
		}
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return f, err
	}
	_, err = io.Copy(out, readerWith(ctx, in))
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return f, err
	}
	f.Size, f.SHA256, err = hashFile(ctx, to)
	return f, err
}

// fits says whether a file is no larger than a model can be, and than the disk has
// room for: one of holes alone says that it has a terabyte.
func fits(f *os.File, dir string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() > maxDownload {
		return fmt.Errorf("%s has %d bytes, at most %d are taken", filepath.Base(f.Name()), info.Size(), int64(maxDownload))
	}
	free, err := system.FreeBytes(dir)
	if err == nil && uint64(info.Size()) > free {
		err = fmt.Errorf("%s has %d bytes, and the disk has room for %d", filepath.Base(f.Name()), info.Size(), free)
	}
	return err
}

// isRuntime looks for the one function that every onnxruntime exports.
func isRuntime(f *os.File) error {
	const symbol = "OrtGetApiBase"
	var tail []byte
	buf := make([]byte, 1<<20)
	for {
		n, err := f.Read(buf)
		tail = append(tail, buf[:n]...)
		if bytes.Contains(tail, []byte(symbol)) {
			_, err := f.Seek(0, io.SeekStart)
			return err
		}
		tail = tail[max(0, len(tail)-len(symbol)):]
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%s is no onnxruntime library", filepath.Base(f.Name()))
		}
		if err != nil {
			return err
		}
	}
}

// ctxReader ends with its context.
type ctxReader func(p []byte) (int, error)

func (r ctxReader) Read(p []byte) (int, error) { return r(p) }

func readerWith(ctx context.Context, r io.Reader) io.Reader {
	return ctxReader(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return r.Read(p)
	})
}
