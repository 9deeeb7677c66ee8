package pipeline

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/repgen/repgen/internal/system"
)

// Key tells what this user's repgen wrote from what anybody else did. It never
// leaves this machine, so that a folder may be moved, copied or sent around: what
// is in it is sealed, not where it lies, and a stranger who has the seals of one
// file cannot make those of another. Nil seals nothing, and nothing is then own.
type Key []byte

// keyBytes is the length of a key: that of the hash (RFC 2104, 3).
const keyBytes = sha256.Size

// OwnKey reads the user's key in the cache folder, and makes it where there is
// none. Without the cache all runs are a stranger's.
func OwnKey(ctx context.Context, cache string) (Key, error) {
	path := filepath.Join(cache, fmt.Sprintf("runs-%d.key", os.Getuid()))
	if key, err := readKey(path); err == nil {
		return key, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, fmt.Errorf("make the key of this user's runs: %w", err)
	}
	unlock, err := system.LockFile(ctx, path+".lock")
	if err != nil {
		return nil, fmt.Errorf("make the key of this user's runs: %w", err)
	}
	defer func() { _ = unlock() }()
	if key, err := readKey(path); err == nil {
		return key, nil // another process was first
	} else if errors.Is(err, errForeignKey) {
		return nil, err
	}
	key := make(Key, keyBytes)
	_, _ = rand.Read(key) // never fails (crypto/rand)
	if err := system.WriteFile(path, key, 0o600); err != nil {
		return nil, fmt.Errorf("keep the key of this user's runs: %w", err)
	}
	return key, nil
}

var errForeignKey = errors.New("it belongs to another user, or others may read or write it")

// readKey reads a key that nobody else can have put there or read: in a cache
// folder that others may write, theirs would make their folders one's own.
func readKey(path string) (Key, error) {
	if info, err := os.Lstat(path); err == nil {
		if st, ok := info.Sys().(*syscall.Stat_t); ok && (int(st.Uid) != os.Getuid() || info.Mode().Perm()&0o077 != 0) {
			return nil, fmt.Errorf("read %s: %w: remove it, or choose another REPGEN_CACHE_DIR", path, errForeignKey)
		}
	}
	key, err := system.ReadPlain(path, keyBytes)
	if err == nil && len(key) != keyBytes {
		err = fmt.Errorf("read %s: it is damaged", path)
	}
	return key, err
}

// Seal is a text that only who has the key can make for these parts, in this
// order; "" without a key.
func (k Key) Seal(parts ...string) string {
	if len(k) == 0 {
		return ""
	}
	mac := hmac.New(sha256.New, k)
	var size [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(size[:], uint64(len(p)))
		_, _ = mac.Write(size[:])
		_, _ = mac.Write([]byte(p))
	}
	return hex.EncodeToString(mac.Sum(nil))
}

// Made says that a seal was made with this key for these parts.
func (k Key) Made(seal string, parts ...string) bool {
	return len(k) > 0 && hmac.Equal([]byte(seal), []byte(k.Seal(parts...)))
}

// sealed are the parts of a request that its seal covers: all but the seal, as
// they come back from a file, where a byte that is no text was replaced.
func (q *Request) sealed() ([]string, error) {
	var again Request
	data, err := json.Marshal(q)
	if err == nil {
		err = json.Unmarshal(data, &again)
	}
	again.Seal = ""
	if err == nil {
		data, err = json.Marshal(again)
	}
	return []string{"request", string(data)}, err
}

// seal marks a request as this user's.
func (q *Request) seal(k Key) error {
	parts, err := q.sealed()
	if err != nil {
		return fmt.Errorf("seal the request: %w", err)
	}
	q.Seal = k.Seal(parts...)
	return nil
}

// madeWith says that this user's repgen wrote the request as it is.
func (q *Request) madeWith(k Key) bool {
	parts, err := q.sealed()
	return err == nil && k.Made(q.Seal, parts...)
}
