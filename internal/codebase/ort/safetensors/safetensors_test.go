package safetensors_test

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/codebase/ort/orttest"
	"github.com/repgen/repgen/internal/codebase/ort/safetensors"
)

// raw is a file with this header over a body of n bytes.
func raw(header string, n int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, n)...)
}

func TestParseRefuses(t *testing.T) {
	huge := binary.LittleEndian.AppendUint64(nil, math.MaxUint64)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":               {nil, "0 bytes"},
		"short":               {[]byte("1234567"), "7 bytes"},
		"header past the end": {binary.LittleEndian.AppendUint64(nil, 9), "a header of 9 bytes in a file of 8"},
		"huge header":         {huge, "a header of"},
		"no JSON":             {raw("hello", 0), "no JSON object"},
		"a list":              {raw("[]", 0), "no JSON object"},
		"unfinished":          {raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}`, 4), "broken"},
		"unknown type":        {raw(`{"a":{"dtype":"F3","shape":[1],"data_offsets":[0,4]}}`, 4), "unknown type"},
		"one offset":          {raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}}`, 4), "1 offsets"},
		"offset past the end": {raw(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 4), "lies at 0 to 8 of 4"},
		"backwards":           {raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}`, 4), "lies at 4 to 0"},
		"negative offset":     {raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}}`, 4), "lies at -4"},
		"wrong size":          {raw(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, 4), "has 4 bytes"},
		"negative shape":      {raw(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, 4), "has the shape"},
		"overflowing shape":   {raw(`{"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}}`, 0), "has the shape"},
		"overlap":             {raw(`{"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}}`, 4), "begins at byte"},
		"hole":                {raw(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}}`, 4), "begins at byte"},
		"rest":                {raw(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 4), "belong to no tensor"},
		"twice":               {raw(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1), "twice"},
		"metadata no strings": {raw(`{"__metadata__":{"a":1}}`, 0), "metadata"},
		"fractional":          {raw(`{"a":{"dtype":"U8","shape":[1.5],"data_offsets":[0,1]}}`, 1), "tensor"},
		"many dimensions":     {raw(`{"a":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]}}`, 1), "9 dimensions"},
	} {
		_, err := safetensors.Parse(c.data)
		if !errors.Is(err, safetensors.ErrFormat) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseAccepts(t *testing.T) {
	f, err := safetensors.Parse(raw(`{"__metadata__":{"format":"pt"},"n":{"dtype":"I64","shape":[],"data_offsets":[0,8]},"e":{"dtype":"F32","shape":[0,3],"data_offsets":[8,8]}}  `, 8))
	if err != nil {
		t.Fatal(err)
	}
	if list := f.List(); len(list) != 2 || list[0].Name != "e" || list[1].Count() != 1 {
		t.Errorf("%+v", list)
	}
	n, _ := f.Get("n")
	if _, err := f.Floats(n); err == nil {
		t.Error("whole numbers were taken for floats")
	}
}

// TestRoundTrip: what a writer wrote comes back, in each type as exactly as it
// can hold it.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		kind := rapid.SampledFrom([]string{"F32", "F16", "BF16"}).Draw(rt, "type")
		values := rapid.SliceOfN(rapid.Float32Range(-1000, 1000), 0, 40).Draw(rt, "values")
		in := []orttest.Tensor{{Name: "x", Type: kind, Shape: []int{len(values)}, Values: values}, {Name: "y", Type: "F32", Values: []float32{1}}}
		f, err := safetensors.Parse(orttest.Safetensors(in))
		if err != nil {
			rt.Fatal(err)
		}
		x, ok := f.Get("x")
		if !ok {
			rt.Fatal("lost")
		}
		got, err := f.Floats(x)
		if err != nil || len(got) != len(values) {
			rt.Fatalf("%d of %d, %v", len(got), len(values), err)
		}
		// Of a number, 8 bits of its fraction are kept by BF16, 11 by F16, whose
		// smallest normal number is 2^-14.
		share := map[string]float64{"F32": 0, "F16": 1.0 / 1024, "BF16": 1.0 / 128}[kind]
		for i := range got {
			if d := math.Abs(float64(got[i] - values[i])); d > share*math.Abs(float64(values[i]))+1e-4*share*1024 {
				rt.Errorf("%s: %g came back as %g", kind, values[i], got[i])
			}
		}
	})
}

func TestHalf(t *testing.T) {
	for bits, want := range map[uint16]float64{
		0x0000: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0400: 1.0 / 16384, 0x0001: 1.0 / (1 << 24),
		0x8001: -1.0 / (1 << 24), 0x03ff: 1023.0 / (1 << 24), 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1), 0x3555: 0.333251953125,
	} {
		header := `{"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}}`
		data := raw(header, 2)
		binary.LittleEndian.PutUint16(data[len(data)-2:], bits)
		f, err := safetensors.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := f.Get("a")
		got, err := f.Floats(a)
		if err != nil || float64(got[0]) != want {
			t.Errorf("%#x: %v instead of %v, %v", bits, got, want, err)
		}
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	if err := (orttest.Spec{}).Write(dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "model.safetensors")
	f, err := safetensors.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	words, ok := f.Get("embeddings.word_embeddings.weight")
	if !ok || int64(len(f.Bytes(words))) != words.Size || words.Offset%8 != 0 {
		t.Errorf("%+v", words)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("a second close: %v", err)
	}
	cut := filepath.Join(dir, "cut")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cut, data[:len(data)-5], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{cut, dir, filepath.Join(dir, "none"), "/dev/null"} {
		if _, err := safetensors.Open(bad); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4))
	f.Add(raw(`{"__metadata__":{"a":"b"},"a":{"dtype":"BF16","shape":[2,1],"data_offsets":[0,4]}}`, 4))
	f.Add(orttest.Safetensors([]orttest.Tensor{{Name: "x", Type: "F16", Shape: []int{2}, Values: []float32{1, 2}}}))
	f.Add(binary.LittleEndian.AppendUint64(nil, 1<<63))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := safetensors.Parse(data)
		if err != nil {
			return
		}
		total := int64(0)
		for _, tensor := range file.List() {
			total += int64(len(file.Bytes(tensor)))
			if values, err := file.Floats(tensor); err == nil && int64(len(values)) != tensor.Count() {
				t.Errorf("%d values of %d", len(values), tensor.Count())
			}
		}
		if total > int64(len(data)) {
			t.Error("tensors hold more than the file")
		}
	})
}
