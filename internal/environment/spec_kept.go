package environment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/repgen/repgen/internal/system"
)

// specLife is how long an inferred Spec is believed: as long as a listing of
// the index (pypi.DefaultTTL), of which it is made.
const specLife = time.Hour

// keptSpec infers a Spec unless the same question was answered within the hour.
// Finding uv, asking it for the index and reading the listings take ten times
// as long (measured: 120 ms). The digest covers the whole question, so what the
// kept one says of the report is what this report says. A file that cannot be
// read or written only costs that time.
func (m *Manager) keptSpec(ctx context.Context, in SpecInput) (Spec, *Unavailable, error) {
	if in.Now.IsZero() {
		in.Now = time.Now()
	}
	path := m.specPath(in)
	if s, ok := readSpec(path, in.Now); ok {
		return s, nil, nil
	}
	s, u, err := inferSpec(ctx, m, in)
	if err != nil || u != nil || path == "" {
		return s, u, err
	}
	if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
		err = system.KeepJSON(path, keptSpecFile{Made: in.Now, Spec: s})
	}
	if err != nil {
		m.log.Debug("what the environment should hold was not kept", "error", err)
	}
	return s, nil, nil
}

type keptSpecFile struct {
	Made time.Time `json:"made"`
	Spec Spec      `json:"spec"`
}

// specPath names the file of a question; the clock counts by its hour, as it
// does in the answer.
func (m *Manager) specPath(in SpecInput) string {
	in.Now = in.Now.UTC().Truncate(time.Hour)
	data, err := json.Marshal(struct {
		Program, Index string
		In             SpecInput
	}{thisProgram(), m.indexNames(), in})
	if err != nil { // plain data always marshals
		return ""
	}
	sum := sha256.Sum256(data)
	return filepath.Join(m.opts.CacheDir, "specs", hex.EncodeToString(sum[:])+".json")
}

// thisProgram tells builds of repgen apart: another one may infer otherwise.
func thisProgram() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	st, err := os.Stat(exe)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d %d", st.Size(), st.ModTime().UnixNano())
}

func readSpec(path string, now time.Time) (Spec, bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Spec{}, false
	}
	var f keptSpecFile
	if json.Unmarshal(data, &f) != nil {
		return Spec{}, false
	}
	age := now.Sub(f.Made)
	return f.Spec, age >= 0 && age < specLife
}
