package probe

// Materialise writes the observer's Python files into dir, which is created.
func Materialise(dir string) error { return nil }

// NewKey is the key of one execution: every honest line carries it.
func NewKey() string { return "" }

// Env is what the observer reads from the process's environment (and removes
// from os.environ): the descriptor of the channel, the key, the options.
func Env(opts Options, fd int, key string) map[string]string { return nil }

// Parse reads a channel: JSON lines between plain faulthandler text.
func Parse(raw []byte, key string) Record { return Record{} }
