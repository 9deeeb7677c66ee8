package uv

import (
	"path/filepath"
	"slices"
	"strings"
)

// passed are the variables of the caller that uv and pip may see: where they
// find programs, certificates, proxies, credentials of indexes. Everything
// else, with whatever secrets it holds, stays out.
var passed = map[string]bool{
	"PATH": true, "HOME": true, "USER": true, "LOGNAME": true, "TMPDIR": true,
	"LANG": true, "LC_ALL": true, "NETRC": true,
	"XDG_CONFIG_HOME": true, "XDG_CONFIG_DIRS": true, "XDG_DATA_HOME": true,
	"HTTP_PROXY": true, "HTTPS_PROXY": true, "ALL_PROXY": true, "NO_PROXY": true,
	"SSL_CERT_FILE": true, "SSL_CERT_DIR": true, "SSL_CLIENT_CERT": true,
	"UV_NATIVE_TLS": true, "UV_SYSTEM_CERTS": true, "UV_INSECURE_HOST": true,
	"UV_KEYRING_PROVIDER": true,
}

// neutral is where uv, pip and interpreters are started. The folder that repgen
// was started in may be a stranger's checkout: uv takes the index from a uv.toml
// or pyproject.toml there or above it, an interpreter from a .venv, and "python
// -m pip" runs a folder of the name pip.
const neutral = "/"

// environ is the caller's environment as a lookup.
func environ(list []string) map[string]string {
	out := make(map[string]string, len(list))
	for _, entry := range list {
		if name, value, ok := strings.Cut(entry, "="); ok {
			out[name] = value
		}
	}
	return out
}

// base is the allow-listed environment, certificates settled.
func base(caller map[string]string) map[string]string {
	out := map[string]string{}
	for name, value := range caller {
		indexSecret := strings.HasPrefix(name, "UV_INDEX_") &&
			(strings.HasSuffix(name, "_USERNAME") || strings.HasSuffix(name, "_PASSWORD"))
		if passed[strings.ToUpper(name)] || indexSecret {
			out[name] = value
		}
	}
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME"} {
		if out[name] = absolute(out[name]); out[name] == "" {
			delete(out, name)
		}
	}
	if out["SSL_CERT_FILE"] == "" {
		// uv does not read the variables of pip and of the libraries below it.
		for _, name := range []string{"PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"} {
			if caller[name] != "" {
				out["SSL_CERT_FILE"] = caller[name]
				break
			}
		}
	}
	if host := caller["PIP_TRUSTED_HOST"]; host != "" && out["UV_INSECURE_HOST"] == "" {
		out["UV_INSECURE_HOST"] = host
	}
	return out
}

// absolute leaves out of a list of folders those that are relative: they would
// be looked for in the current one.
func absolute(list string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(list), func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// env is the environment of one call of uv, configuration files left out: what
// they say of the index was asked for already and is given by name.
func (t *Tool) env(index Index, pip pipConfig) []string {
	e := base(environ(t.o.Environ))
	if e["SSL_CERT_FILE"] == "" && pip.cert != "" {
		e["SSL_CERT_FILE"] = pip.cert
	}
	e["UV_NO_CONFIG"] = "1"
	e["UV_PYTHON_DOWNLOADS"] = "never"
	e["UV_CACHE_DIR"] = filepath.Join(t.o.CacheDir, "uv")
	e["UV_LINK_MODE"] = "hardlink"
	e["UV_HTTP_TIMEOUT"] = httpTimeout
	e["UV_HTTP_RETRIES"] = httpRetries
	e["NO_COLOR"] = "1"
	e["UV_NO_PROGRESS"] = "1"
	if index.Default != "" {
		// By environment and not as an argument: arguments are seen by all.
		e["UV_DEFAULT_INDEX"] = index.Default
	}
	if len(index.Extra) > 0 {
		e["UV_INDEX"] = strings.Join(index.Extra, " ")
	}
	return flat(e)
}

// Bounds on the network, guesses: uv's own defaults are 30 s and 3 retries; a
// slow mirror needs more of the one for a wheel of a gigabyte, and the other
// costs 7 to 11 s on a dead network before an answer (measured). A resolution
// reads small files only, and the index answered for their listings a moment
// before: there silence is waited for once and a half.
const (
	httpTimeout = "60"
	httpRetries = "3"

	askTimeout = "8"
	askRetries = "1"
)

func flat(e map[string]string) []string {
	out := make([]string, 0, len(e))
	for name, value := range e {
		out = append(out, name+"="+value)
	}
	return out
}

// withMore adds variables; one that is there already is replaced.
func withMore(env, more []string) []string {
	for _, entry := range more {
		name, _, _ := strings.Cut(entry, "=")
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		env = append(env, entry)
	}
	return env
}
