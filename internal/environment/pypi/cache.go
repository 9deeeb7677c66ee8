package pypi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/repgen/repgen/internal/system"
)

// place is where a listing is kept. The indexes are part of it: the same name
// is another project elsewhere.
func (c *Client) place(name string) string {
	sum := sha256.Sum256([]byte(strings.Join(c.o.Indexes, "\n")))
	return filepath.Join(c.o.CacheDir, "index", hex.EncodeToString(sum[:6]), name+".json")
}

// load reads a kept listing; nil when there is none or it is damaged, since
// the index can be asked again.
func (c *Client) load(name string) *Project {
	if c.o.CacheDir == "" {
		return nil
	}
	data, err := os.ReadFile(c.place(name))
	if err != nil {
		return nil
	}
	var p Project
	if json.Unmarshal(data, &p) != nil || p.Name != name || p.Fetched.IsZero() {
		return nil
	}
	p.glibc = c.o.Glibc
	return &p
}

// save keeps a listing. A cache that cannot be written only costs time.
func (c *Client) save(p *Project) {
	if c.o.CacheDir == "" {
		return
	}
	path := c.place(p.Name)
	data, err := json.Marshal(p)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		// Addresses of files may hold credentials of a private index.
		err = system.KeepFile(path, data, 0o600)
	}
	if err != nil {
		c.o.Log.Debug("a listing could not be kept", "project", p.Name, "error", err)
	}
}
