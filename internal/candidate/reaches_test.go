package candidate

import "testing"

func TestReaches(t *testing.T) {
	for _, tc := range []struct {
		line, want string // "" for none
	}{
		{"import socket; socket.create_connection(('h', 1))", "line 2: opens a socket (socket.create_connection)"},
		{"from socket import socket as s; s()", "opens a socket"},
		{"import urllib.request as u; u.urlopen('x')", "uses the network (urllib.request.urlopen)"},
		{"import requests; requests.post('x', data=1)", "uses the network (requests.post)"},
		{"import subprocess; subprocess.run(['ls'])", "starts a process (subprocess.run)"},
		{"os.system('ls')", "starts a process (os.system)"},
		{"__import__('os').system('ls')", "imports os on the fly (system)"},
		{"open(os.path.expanduser('~/.ssh/id_rsa'))", "reaches for ~/.ssh/id_rsa"},
		{"from pathlib import Path; Path.home() / '.aws'", "reaches for .aws"},
		{"open('/etc/passwd')", "reaches for /etc/passwd"},
		{"open('/proc/1/environ')", "reaches for /proc/1/environ"},
		{"open('/proc/self/status')", ""},
		{"open('/proc/meminfo')", ""},
		{"[k for k in os.environ if 'TOKEN' in k]", "reads the whole environment"},
		{"for k, v in os.environ.items(): pass", "reads the whole environment"},
		{"print(os.environ)", "reads the whole environment"},
		{"os.environ['X'] = '1'", ""},
		{"os.environ['API_KEY'] = 'dummy'", ""},
		{"os.getenv('HF_TOKEN')", "reads a secret (HF_TOKEN)"},
		{"os.getenv('OMP_NUM_THREADS')", ""},
		{"os.environ.get('OPENAI_API_KEY', '')", "reads a secret (OPENAI_API_KEY)"},
		{"import base64; exec(base64.b64decode('eA=='))", "runs hidden code (exec)"},
		{"torch.ones(1)", ""},
		{"key = 'token'; tokens = key.split()", ""},
	} {
		c := FromScript("import os, torch\n" + tc.line + "\n")
		switch {
		case tc.want == "" && len(c.Reaches) > 0:
			t.Errorf("%s: %q", tc.line, c.Reaches)
		case tc.want != "" && !containsPart(c.Reaches, tc.want):
			t.Errorf("%s: want %q, got %q", tc.line, tc.want, c.Reaches)
		}
	}
}
