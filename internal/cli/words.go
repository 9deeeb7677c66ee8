package cli

import (
	"net/url"
	"regexp"
)

// What the user's words must look like. Whether such a version or package
// exists is for the index to say.
var (
	pythonWord  = regexp.MustCompile(`^[0-9]+\.[0-9]+(\.[0-9]+)?$`)
	nameWord    = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)
	versionWord = regexp.MustCompile(`^v?[0-9][A-Za-z0-9.!+_-]*$`)
	requireWord = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*\s*(\[[^\]]*\])?\s*([(<>=!~@;].*)?$`)
)

func (w wishes) check() error {
	if w.Python != "" && !pythonWord.MatchString(w.Python) {
		return usage("--python %q is no version of Python: write X.Y, such as 3.11", w.Python)
	}
	for _, r := range w.With {
		if !requireWord.MatchString(r) {
			return usage("--with %q is no requirement: write NAME or NAME==VERSION, and repeat --with for another", r)
		}
	}
	return checkSubject(w.Subject)
}

func checkSubject(name string) error {
	if name != "" && !nameWord.MatchString(name) {
		return usage("--subject %q is no name of a package", name)
	}
	return nil
}

func checkGood(version string) error {
	if version != "" && !versionWord.MatchString(version) {
		return usage("--good %q is no version: write it as the index does, such as 1.4.2", version)
	}
	return nil
}

func (p place) check() error {
	if p.Index == "" {
		return nil
	}
	if u, err := url.Parse(p.Index); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return usage("--index %q is no URL: write https://HOST/PATH of a simple index", p.Index)
	}
	return nil
}
