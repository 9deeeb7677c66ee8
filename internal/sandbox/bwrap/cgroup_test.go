package bwrap

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/watch"
)

// tree makes files below a new folder, as a control group mount would show.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func v1Tree(t *testing.T, own string) string {
	files := map[string]string{}
	for _, c := range v1Controllers {
		files[filepath.Join(c, "cgroup.procs")] = ""
		files[filepath.Join(c, own, "cgroup.procs")] = ""
	}
	return tree(t, files)
}

func TestFindGrouper(t *testing.T) {
	const selfV1 = "8:pids:/\n4:memory:/job/x\n2:cpu,cpuacct:/\n0::/\n"
	const selfV2 = "0::/user.slice/app.slice/run.scope\n"
	handed := map[string]string{
		"user.slice/app.slice/cgroup.procs":           "",
		"user.slice/app.slice/cgroup.subtree_control": "cpu memory pids\n",
		"user.slice/app.slice/run.scope/cgroup.procs": "1\n",
		"user.slice/cgroup.procs":                     "",
		"cgroup.procs":                                "",
	}
	half := map[string]string{"user.slice/app.slice/cgroup.procs": "", "user.slice/app.slice/cgroup.subtree_control": "cpu pids\n"}
	onlyOne := map[string]string{"memory/cgroup.procs": "", "pids/other": ""}
	tests := map[string]struct{ root, self, how, where string }{
		"v1":                {v1Tree(t, "job/x"), selfV1, "cgroup v1", "memory/job/x"},
		"v1, place unseen":  {v1Tree(t, "elsewhere"), selfV1, "cgroup v1", "memory"},
		"v2, delegated":     {tree(t, handed), selfV2, "cgroup v2", "user.slice/app.slice"},
		"v2, no memory":     {tree(t, half), selfV2, "", ""},
		"v1, one hierarchy": {tree(t, onlyOne), selfV1, "", ""},
		"nothing":           {t.TempDir(), selfV2, "", ""},
		"no text":           {v1Tree(t, ""), "", "cgroup v1", "memory"},
		"broken text":       {t.TempDir(), "x\n::\n:::::", "", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			g, why := findGrouper(tt.root, tt.self)
			how, where := "", ""
			switch g := g.(type) {
			case v1:
				how, where = g.how(), g.parents["memory"]
			case v2:
				how, where = g.how(), g.parent
			}
			if how != tt.how || (how != "" && where != filepath.Join(tt.root, tt.where)) {
				t.Errorf("%q at %q, want %q at %q", how, where, tt.how, tt.where)
			}
			if (why == "") != (how != "") {
				t.Errorf("found %q, and why not: %q", how, why)
			}
		})
	}
}

// TestV2Files: what is written where, and what is read from where. A plain
// folder cannot be removed like a group, so close is not tried here.
func TestV2Files(t *testing.T) {
	root := tree(t, map[string]string{"g/memory.swap.max": "max"})
	g := v2Group{dir: filepath.Join(root, "g")}
	l := sandbox.Limits{MemoryBytes: 1 << 30, Pids: 10}
	if err := g.limit(l); err != nil {
		t.Fatal(err)
	}
	if err := g.join(77); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"memory.max": "1073741824", "memory.swap.max": "0", "pids.max": fmt.Sprint(10 + watch.HelperTasks), "cgroup.procs": "77",
	} {
		if got := readCtl(g.dir, name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if u := g.usage(); u != (groupUsage{}) {
		t.Errorf("usage without files: %+v", u)
	}
	for name, text := range map[string]string{
		"cpu.stat": "usage_usec 1500000\nuser_usec 1\n", "memory.peak": "4096\n", "memory.events": "low 0\noom 3\noom_kill 2\n",
	} {
		if err := os.WriteFile(filepath.Join(g.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if u := g.usage(); u != (groupUsage{cpu: 1500 * time.Millisecond, peak: 4096, oomKills: 2}) {
		t.Errorf("usage %+v", u)
	}
	if err := (v2Group{dir: filepath.Join(root, "absent")}).limit(l); err == nil {
		t.Error("limits were set nowhere")
	}
}

func TestV1Files(t *testing.T) {
	root := v1Tree(t, "")
	g := v1Group{dirs: map[string]string{}}
	for _, c := range v1Controllers {
		g.dirs[c] = filepath.Join(root, c)
	}
	if err := g.limit(sandbox.Limits{MemoryBytes: 4096, Pids: 1}); err != nil {
		t.Fatal(err)
	}
	for c, files := range map[string]map[string]string{
		"memory":  {"memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n", "memory.max_usage_in_bytes": "123\n"},
		"cpuacct": {"cpuacct.usage": "2000000000\n"},
	} {
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(root, c, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := readCtl(g.dirs["memory"], "memory.limit_in_bytes"); got != "4096" {
		t.Errorf("limit %q", got)
	}
	if u := g.usage(); u != (groupUsage{cpu: 2 * time.Second, peak: 123, oomKills: 4}) {
		t.Errorf("usage %+v", u)
	}
}
