package chunk

import "crypto/sha256"

// Text is the source of a chunk, whole lines; src is what was split. It is
// empty when the span does not lie in src (the file has changed since).
func Text(c Chunk, src []byte) string { return string(span(c, src)) }

func span(c Chunk, src []byte) []byte {
	if c.Start < 0 || c.End > len(src) || c.Start > c.End {
		return nil
	}
	return src[c.Start:c.End]
}

// IdentOf hashes a text that is embedded.
func IdentOf(text string) Ident {
	sum := sha256.Sum256([]byte(text))
	return Ident(sum[:16])
}
