package uv

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/system/proc"
)

// Index is where packages come from. Its strings hold credentials when the
// configuration does: show them through String or Redact only.
type Index struct {
	Default string
	Extra   []string
	// Source says who named it: "flag", "UV_DEFAULT_INDEX", "uv" (its
	// configuration or its own default), "pip's configuration", ...
	Source string
	// CertFiles are files of certificate authorities that the configuration
	// names for it.
	CertFiles []string
}

// String is for people: without credentials.
func (i Index) String() string { return Redact(strings.Join(i.Order(), " ")) }

// usual is the index that everybody has who says nothing, by its own address.
const usual = "https://pypi.org/simple"

// Shown is for the record of an environment: "" for the usual index alone, else
// who named another. Its address stays out: a bundle is given away, and the name
// of a company's host is the company's.
func (i Index) Shown() string {
	switch order := i.Order(); {
	case len(order) == 1 && strings.TrimSuffix(order[0], "/") == usual:
		return ""
	case i.Source == "flag":
		return "--index"
	case i.Source == "uv":
		return "an extra index"
	}
	return i.Source
}

// Order lists the indexes as uv asks them: the first that has a project
// answers for it, extra ones before the default.
func (i Index) Order() []string {
	return append(append([]string(nil), i.Extra...), i.Default)
}

// findIndex asks, strongest first: the flag, uv's variables, pip's variables,
// uv's configuration, pip's configuration, and uv for its own default.
func (t *Tool) findIndex(ctx context.Context) (Index, error) {
	env := environ(t.o.Environ)
	pip := readPip(env)
	found, err := t.chooseIndex(ctx, env, pip)
	if err != nil {
		return Index{}, err
	}
	for _, name := range []string{"PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"} {
		if env[name] != "" {
			found.CertFiles = append(found.CertFiles, env[name])
		}
	}
	if pip.cert != "" {
		found.CertFiles = append(found.CertFiles, pip.cert)
	}
	return found, nil
}

func (t *Tool) chooseIndex(ctx context.Context, env map[string]string, pip pipConfig) (Index, error) {
	if t.o.Index != "" {
		return Index{Default: t.o.Index, Source: "flag"}, nil
	}
	if i, ok := fromEnv(env, pip); ok {
		return i, nil
	}
	extra := extraFromEnv(env)
	found, err := t.askIndex(ctx, true)
	if err != nil {
		// A broken configuration file must not stop what works without it.
		t.o.Log.Warn("uv's configuration was not understood and is left out", "error", err)
		if found, err = t.askIndex(ctx, false); err != nil {
			return Index{}, err
		}
	}
	found.Source = "uv"
	if pip.index == "" && len(pip.extra) == 0 {
		found.Extra = append(extra, found.Extra...)
		return found, nil
	}
	// pip's files count unless uv has some of its own that name an index.
	plain, err := t.askIndex(ctx, false)
	if err != nil {
		return Index{}, err
	}
	if found.Default != plain.Default || len(found.Extra) > 0 {
		found.Source = "uv's configuration"
		found.Extra = append(extra, found.Extra...)
		return found, nil
	}
	i := Index{Default: pip.index, Extra: append(extra, pip.extra...), Source: "pip's configuration"}
	if i.Default == "" {
		i.Default = plain.Default
	}
	return i, nil
}

// fromEnv reads the variables that name a default index.
func fromEnv(env map[string]string, pip pipConfig) (Index, bool) {
	for _, name := range []string{"UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"} {
		if env[name] == "" {
			continue
		}
		i := Index{Default: unnamed(env[name]), Source: name, Extra: extraFromEnv(env)}
		if name == "PIP_INDEX_URL" && len(i.Extra) == 0 {
			i.Extra = pip.extra
		}
		return i, true
	}
	return Index{}, false
}

func extraFromEnv(env map[string]string) []string {
	var extra []string
	for _, name := range []string{"UV_INDEX", "UV_EXTRA_INDEX_URL", "PIP_EXTRA_INDEX_URL"} {
		for _, one := range strings.Fields(env[name]) {
			extra = append(extra, unnamed(one))
		}
	}
	return extra
}

// unnamed strips the name of "name=https://...".
func unnamed(index string) string {
	name, address, ok := strings.Cut(index, "=")
	if ok && !strings.ContainsAny(name, ":/") {
		return address
	}
	return index
}

// askIndex lets uv say which index it would use, by an empty resolution: 80 ms
// and no network. With configuration it reads the user's and the system's files;
// those of a project are the project's word.
func (t *Tool) askIndex(ctx context.Context, withConfig bool) (Index, error) {
	e := base(environ(t.o.Environ))
	e["UV_PYTHON_DOWNLOADS"] = "never"
	e["NO_COLOR"] = "1"
	args := []string{t.Path, "pip", "compile", "--quiet", "--no-header", "--emit-index-url"}
	if !withConfig {
		e["UV_NO_CONFIG"] = "1"
	}
	if len(t.o.Pythons) > 0 {
		args = append(args, "--python", t.o.Pythons[0])
	}
	args = append(args, "-")
	r, err := proc.Run(ctx, proc.Spec{Argv: args, Dir: neutral, Env: flat(e), Timeout: askTime})
	if err != nil {
		return Index{}, fmt.Errorf("ask uv for its index: %w", err)
	}
	if r.ExitCode != 0 {
		return Index{}, fmt.Errorf("ask uv for its index: %s", oneLine(string(r.Stderr)))
	}
	i := parseIndexLines(string(r.Stdout))
	if i.Default == "" {
		return Index{}, errors.New("ask uv for its index: it named none")
	}
	return i, nil
}

// askTime bounds a question to uv that needs no network.
const askTime = 20 * time.Second

// parseIndexLines reads what --emit-index-url prints.
func parseIndexLines(text string) Index {
	var i Index
	for line := range strings.Lines(text) {
		option, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch option {
		case "--index-url":
			i.Default = value
		case "--extra-index-url":
			i.Extra = append(i.Extra, value)
		}
	}
	return i
}
