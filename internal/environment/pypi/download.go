package pypi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

const (
	// maxDownload bounds one file; source packages that repgen builds are
	// small (the largest of the measured set has 3 MB).
	maxDownload = 512 << 20
	// downloadTime bounds one download.
	downloadTime = 10 * time.Minute
)

// ErrHash says that a file is not the one of the listing.
var ErrHash = errors.New("the file's hash is not the one of the listing")

// Download fetches one file to the path dst and checks its hash, without
// opening it. A file without a hash in the listing is refused. Nothing is left
// at dst when it fails.
func (c *Client) Download(ctx context.Context, f File, dst string) (err error) {
	want, found := strings.CutPrefix(f.Hash, "sha256:")
	if !found {
		return fmt.Errorf("download %s: the index gives no hash", f.Filename)
	}
	ctx, cancel := context.WithTimeout(ctx, downloadTime)
	defer cancel()
	resp, err := c.get(ctx, f.URL, "")
	if err != nil {
		return fmt.Errorf("download %s: %w", f.Filename, err)
	}
	defer func() { _ = resp.Body.Close() }()
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("download %s: %w", f.Filename, err)
	}
	defer func() {
		err = errors.Join(err, out.Close())
		if err != nil {
			_ = os.Remove(dst)
		}
	}()
	sum := sha256.New()
	if err := copyLimited(out, sum, resp.Body); err != nil {
		return fmt.Errorf("download %s: %w", f.Filename, err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != want {
		return fmt.Errorf("download %s: %w", f.Filename, ErrHash)
	}
	return nil
}

func copyLimited(out io.Writer, sum hash.Hash, body io.Reader) error {
	n, err := io.Copy(io.MultiWriter(out, sum), io.LimitReader(body, maxDownload+1))
	if err == nil && n > maxDownload {
		err = fmt.Errorf("larger than %d bytes", maxDownload)
	}
	return err
}

// HTTP is the client's way to the index's files (certificates, proxies), for a
// caller that downloads by itself: one that goes on where it stopped.
func (c *Client) HTTP() *http.Client { return c.http }
