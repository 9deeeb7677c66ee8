// Package safetensors reads the safetensors format: a JSON header that says
// where each tensor lies, then the tensors. A file is mapped, never read whole,
// and nothing in its header is believed before it is checked.
package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	// maxHeader is the format's own limit on its header.
	maxHeader = 100_000_000
	// maxTensors and maxDims are guesses: the largest models published have some
	// thousands of tensors, of at most five dimensions.
	maxTensors = 100_000
	maxDims    = 8
)

// ErrFormat says that a file is no whole safetensors file.
var ErrFormat = errors.New("not a whole safetensors file")

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

// width is the size of one number of a type, in bytes.
var width = map[string]int64{
	"BOOL": 1, "U8": 1, "I8": 1, "F8_E5M2": 1, "F8_E4M3": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2,
	"I32": 4, "U32": 4, "F32": 4, "I64": 8, "U64": 8, "F64": 8,
}

// Tensor is one tensor of a file.
type Tensor struct {
	Name  string
	Type  string // "F32", "F16", "BF16", "I64", ...
	Shape []int64
	// Offset is its first byte in the file, Size its length in bytes.
	Offset, Size int64
}

// Count is the number of its elements.
func (t Tensor) Count() int64 { return t.Size / width[t.Type] }

// File is a file's tensors. It holds the mapping until Close.
type File struct {
	data    []byte
	mapped  bool
	tensors map[string]Tensor
}

// Open maps and checks a file.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open weights: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("open weights: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() < 8 || info.Size() > math.MaxInt {
		return nil, fmt.Errorf("open weights %s: %w", path, bad("%d bytes", info.Size()))
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map weights %s: %w", path, err)
	}
	file, err := Parse(data)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read weights %s: %w", path, err), unix.Munmap(data))
	}
	file.mapped = true
	return file, nil
}

// Close gives the mapping back; no slice of the file may be used after it.
func (f *File) Close() error {
	if !f.mapped {
		return nil
	}
	f.mapped = false
	return unix.Munmap(f.data)
}

// Parse checks data, which the File goes on to use.
func Parse(data []byte) (*File, error) {
	if len(data) < 8 {
		return nil, bad("%d bytes", len(data))
	}
	n := binary.LittleEndian.Uint64(data)
	if n > maxHeader || n > uint64(len(data)-8) {
		return nil, bad("a header of %d bytes in a file of %d", n, len(data))
	}
	f := &File{data: data, tensors: map[string]Tensor{}}
	body := 8 + int64(n)
	if err := f.header(data[8:body], body); err != nil {
		return nil, err
	}
	return f, f.tiled(body)
}

// rawTensor is one value of the header.
type rawTensor struct {
	Type    string  `json:"dtype"`
	Shape   []int64 `json:"shape"`
	Offsets []int64 `json:"data_offsets"`
}

// header reads the names one by one: a name given twice would otherwise hide
// what the first one said.
func (f *File) header(text []byte, body int64) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return bad("the header is no JSON object")
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return bad("the header is broken: %v", err)
		}
		name, _ := key.(string)
		if name == "__metadata__" {
			var meta map[string]string
			if err := dec.Decode(&meta); err != nil {
				return bad("the metadata are broken: %v", err)
			}
			continue
		}
		var raw rawTensor
		if err := dec.Decode(&raw); err != nil {
			return bad("tensor %.80q: %v", name, err)
		}
		if err := f.add(name, raw, body); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return bad("the header is broken: %v", err)
	}
	return nil
}

func (f *File) add(name string, raw rawTensor, body int64) error {
	size := width[raw.Type]
	switch {
	case len(f.tensors) >= maxTensors:
		return bad("more than %d tensors", maxTensors)
	case f.has(name):
		return bad("tensor %.80q is there twice", name)
	case size == 0:
		return bad("tensor %.80q has the unknown type %.20q", name, raw.Type)
	case len(raw.Shape) > maxDims:
		return bad("tensor %.80q has %d dimensions", name, len(raw.Shape))
	case len(raw.Offsets) != 2:
		return bad("tensor %.80q has %d offsets", name, len(raw.Offsets))
	}
	begin, end := raw.Offsets[0], raw.Offsets[1]
	room := int64(len(f.data)) - body
	if begin < 0 || end < begin || end > room {
		return bad("tensor %.80q lies at %d to %d of %d bytes", name, begin, end, room)
	}
	for _, d := range raw.Shape {
		if d < 0 || d > 0 && size > math.MaxInt64/d {
			return bad("tensor %.80q has the shape %v", name, raw.Shape)
		}
		size *= d
	}
	if size != end-begin {
		return bad("tensor %.80q of shape %v and type %s has %d bytes", name, raw.Shape, raw.Type, end-begin)
	}
	f.tensors[name] = Tensor{Name: name, Type: raw.Type, Shape: raw.Shape, Offset: body + begin, Size: size}
	return nil
}

func (f *File) has(name string) bool { _, ok := f.tensors[name]; return ok }

// tiled checks that the tensors cover the body, each byte once: the format
// asks for it, and a file cut or patched seldom does.
func (f *File) tiled(body int64) error {
	list := f.List()
	slices.SortFunc(list, func(a, b Tensor) int {
		if a.Offset != b.Offset {
			return int(max(-1, min(1, a.Offset-b.Offset)))
		}
		return int(max(-1, min(1, a.Size-b.Size)))
	})
	at := body
	for _, t := range list {
		if t.Offset != at {
			return bad("tensor %.80q begins at byte %d, the one before ends at %d", t.Name, t.Offset, at)
		}
		at += t.Size
	}
	if at != int64(len(f.data)) {
		return bad("%d bytes belong to no tensor", int64(len(f.data))-at)
	}
	return nil
}

// List gives all tensors, by name.
func (f *File) List() []Tensor {
	out := make([]Tensor, 0, len(f.tensors))
	for _, t := range f.tensors {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Get finds a tensor.
func (f *File) Get(name string) (Tensor, bool) {
	t, ok := f.tensors[name]
	return t, ok
}

// Bytes are a tensor's bytes, little-endian; not to be changed, and gone after
// Close.
func (f *File) Bytes(t Tensor) []byte { return f.data[t.Offset : t.Offset+t.Size] }
