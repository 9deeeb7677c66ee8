package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// maxKeyFile bounds a key file: keys have a few hundred characters at most.
const maxKeyFile = 16 << 10

// variableWord is what a variable for a key is called. It has capitals only, so
// that a key that was put there by mistake is not repeated in a message.
var variableWord = regexp.MustCompile(`^[A-Z_][A-Z0-9_]{0,63}$`)

// keySource is where a key comes from.
type keySource struct {
	// Env is a variable, File a file; both "": no key.
	Env, File string
	// Optional: no key is no fault.
	Optional bool
}

// String names the source, never the key.
func (k keySource) String() string {
	switch {
	case k.File != "":
		return "the key file " + k.File
	case k.Env != "":
		return k.Env
	}
	return ""
}

// read takes the key. Notes are about who else can.
func (k keySource) read() (key string, notes []string, err error) {
	switch {
	case k.File != "":
		return readKeyFile(k.File)
	case k.Env == "":
		return "", nil, nil
	case !variableWord.MatchString(k.Env):
		return "", nil, errors.New("key_env must name a variable in capitals, such as MY_SERVER_KEY; the key itself does not belong there")
	}
	key = strings.TrimSpace(os.Getenv(k.Env))
	if key == "" && !k.Optional {
		return "", nil, fmt.Errorf("%s is not set", k.Env)
	}
	return key, nil, nil
}

// readKeyFile reads a file that holds a key and nothing else.
func readKeyFile(path string) (key string, notes []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", nil, fmt.Errorf("read the key file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return "", nil, fmt.Errorf("read the key file: %w", err)
	}
	if info.IsDir() {
		return "", nil, fmt.Errorf("the key file %s is a folder", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	key = strings.TrimSpace(string(data))
	switch {
	case err != nil:
		return "", nil, fmt.Errorf("read the key file: %w", err)
	case len(data) > maxKeyFile:
		return "", nil, fmt.Errorf("the key file %s holds more than a key", path)
	case key == "":
		return "", nil, fmt.Errorf("the key file %s is empty", path)
	}
	if info.Mode().Perm()&0o044 != 0 {
		notes = append(notes, fmt.Sprintf("the key file %s can be read by others: chmod 600 %s", path, path))
	}
	return key, notes, nil
}

// below is a path as the configuration file names it: from the home folder, or
// from the folder of the file itself.
func below(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
