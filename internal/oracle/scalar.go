package oracle

// wrappers print around a single value: "tensor(0.5000)", "Array(0.5, dtype=float32)",
// "tf.Tensor(0.5, shape=(), dtype=float32)".
var wrappers = map[string]bool{"tensor": true, "Tensor": true, "array": true, "Array": true, "EagerTensor": true}

// scalarOf is the value of a line that is one such value and nothing else: behind
// it only keywords may follow. People write the value, and the line has the
// wrapper.
func scalarOf(line []token) (token, bool) {
	if len(line) > 2 && line[1].text == "." && isWord(line[0].text) {
		line = line[2:] // the module's name
	}
	if len(line) < 4 || !wrappers[line[0].text] || line[1].text != "(" || line[len(line)-1].text != ")" || !singleValue(line[2:3]) {
		return token{}, false
	}
	switch {
	case line[3].text != ",":
		return line[2], len(line) == 4
	case line[4].mask:
		return line[2], true
	}
	return line[2], len(line) >= 7 && isWord(line[4].text) && line[5].text == "="
}

// singleValue says whether the tokens are one number, or True, False or None.
func singleValue(ts []token) bool {
	if len(ts) != 1 {
		return false
	}
	switch ts[0].text {
	case "True", "False", "None":
		return true
	}
	return ts[0].number != nil
}
