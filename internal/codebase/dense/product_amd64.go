package dense

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var hasAVX2 = cpu.X86.HasAVX2

// productAVX2 is the sum of q[i]*c[i]; n is a multiple of 32 above zero.
//
//go:noescape
func productAVX2(q *int16, c *int8, n int) int32

// product is the sum of the products of a query and a row of codes of its
// length, which is a multiple of codeAlign.
func product(q []int16, code *int8) int32 {
	if hasAVX2 {
		return productAVX2(unsafe.SliceData(q), code, len(q))
	}
	return productGo(q, code)
}
