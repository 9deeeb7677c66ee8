package uv

import (
	"os"
	"path/filepath"
	"strings"
)

// pipConfig is what matters here of pip's configuration files.
type pipConfig struct {
	index   string
	extra   []string
	cert    string
	trusted string
}

// pipFiles are the places of pip's configuration, weakest first, as pip's
// manual lists them for Unix.
func pipFiles(env map[string]string) []string {
	if env["PIP_CONFIG_FILE"] == os.DevNull {
		return nil // pip's word for "no configuration files"
	}
	var files []string
	dirs := absolute(env["XDG_CONFIG_DIRS"])
	if dirs == "" {
		dirs = "/etc/xdg"
	}
	for _, d := range filepath.SplitList(dirs) {
		files = append(files, filepath.Join(d, "pip", "pip.conf"))
	}
	files = append(files, "/etc/pip.conf")
	if home := absolute(env["HOME"]); home != "" {
		files = append(files, filepath.Join(home, ".pip", "pip.conf"))
		config := absolute(env["XDG_CONFIG_HOME"])
		if config == "" {
			config = filepath.Join(home, ".config")
		}
		files = append(files, filepath.Join(config, "pip", "pip.conf"))
	}
	if venv := absolute(env["VIRTUAL_ENV"]); venv != "" {
		files = append(files, filepath.Join(venv, "pip.conf"))
	}
	if extra := env["PIP_CONFIG_FILE"]; extra != "" {
		files = append(files, extra)
	}
	return files
}

// readPip reads all of them; those that are absent or unreadable say nothing.
func readPip(env map[string]string) pipConfig {
	var c pipConfig
	for _, path := range pipFiles(env) {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		c.merge(parsePip(string(data)))
	}
	return c
}

// merge lets a stronger file win, key by key.
func (c *pipConfig) merge(o pipConfig) {
	if o.index != "" {
		c.index = o.index
	}
	if len(o.extra) > 0 {
		c.extra = o.extra
	}
	if o.cert != "" {
		c.cert = o.cert
	}
	if o.trusted != "" {
		c.trusted = o.trusted
	}
}

// parsePip reads the ini format of one file: the sections [global] and, above
// it, [install]. Values may go on in indented lines.
func parsePip(text string) pipConfig {
	sections := map[string]map[string]string{}
	section, key := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';':
		case line[0] == ' ' || line[0] == '\t':
			if section != "" && key != "" {
				sections[section][key] += " " + trimmed
			}
		case trimmed[0] == '[' && trimmed[len(trimmed)-1] == ']':
			section, key = strings.ToLower(trimmed[1:len(trimmed)-1]), ""
			if sections[section] == nil {
				sections[section] = map[string]string{}
			}
		default:
			name, value, ok := cutAssign(trimmed)
			if !ok || section == "" {
				continue
			}
			key = strings.ReplaceAll(strings.ToLower(name), "_", "-")
			sections[section][key] = value
		}
	}
	var c pipConfig
	for _, name := range []string{"global", "install"} {
		s := sections[name]
		c.merge(pipConfig{
			index: strings.TrimSpace(s["index-url"]), extra: strings.Fields(s["extra-index-url"]),
			cert: strings.TrimSpace(s["cert"]), trusted: strings.Join(strings.Fields(s["trusted-host"]), " "),
		})
	}
	return c
}

// cutAssign splits "name = value" or "name: value" at the first sign.
func cutAssign(line string) (name, value string, ok bool) {
	i := strings.IndexAny(line, "=:")
	if i <= 0 {
		return "", "", false
	}
	return strings.TrimSpace(line[:i]), strings.TrimSpace(line[i+1:]), true
}
