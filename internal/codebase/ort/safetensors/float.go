package safetensors

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Floats converts a tensor of type F32, F16 or BF16 to numbers of 32 bits,
// which hold each of theirs exactly.
func (f *File) Floats(t Tensor) ([]float32, error) {
	data := f.Bytes(t)
	out := make([]float32, t.Count())
	switch t.Type {
	case "F32":
		for i := range out {
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
	case "BF16":
		for i := range out {
			out[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(data[2*i:])) << 16)
		}
	case "F16":
		for i := range out {
			out[i] = half(binary.LittleEndian.Uint16(data[2*i:]))
		}
	default:
		return nil, fmt.Errorf("tensor %q has the type %s, not F32, F16 or BF16", t.Name, t.Type)
	}
	return out, nil
}

// half is the value of an IEEE 754 number of 16 bits.
func half(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exp := uint32(h>>10) & 0x1f
	frac := uint32(h) & 0x3ff
	switch exp {
	case 0: // zero and subnormal: frac * 2^-24
		v := float32(frac) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 0x1f: // infinite, or no number
		return math.Float32frombits(sign | 0xff<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}
