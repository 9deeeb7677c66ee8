//go:build !amd64

package dense

const hasAVX2 = false

// product is the sum of the products of a query and a row of codes of its
// length.
func product(q []int16, code *int8) int32 { return productGo(q, code) }
