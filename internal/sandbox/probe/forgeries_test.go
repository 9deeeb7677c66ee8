package probe

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// forgeries try to speak for the observer: each gets at what sends records, and
// then, as made_up does, records an exception that never was.
var forgeries = map[string]string{
	"globals of a hook of warnings": `forge(warnings._showwarnmsg.__globals__)`,
	"globals of the end":            `forge(threading._shutdown.__globals__)`,
	"globals of a thread's hook":    `forge(threading.excepthook.__globals__)`,
	"globals of exit":               `forge(sys.exit.__globals__)`,
	"globals of observe":            `import repgen; forge(repgen.observe.__globals__)`,
	"wrapped":                       `forge(warnings._showwarnmsg.__wrapped__.__globals__)`,
	"reduce": `
import pickle, copy
copy.copy(sys.exit).__reduce__()[0].__globals__
`,
	"the table of modules": `
for m in list(sys.modules.values()):
    forge(getattr(m, "__dict__", {}))
`,
	"an import by name": `
import repgen_probe.failures as f
forge(vars(sys.modules["repgen_probe"]))
`,
	"all objects": `
import gc
for o in gc.get_objects():
    try:
        forge(o if isinstance(o, dict) else o.__globals__)
    except Exception:
        pass
`,
	"all objects, thawed": `
import gc
gc.unfreeze()
for o in gc.get_objects():
    try:
        forge(o if isinstance(o, dict) else o.__globals__)
    except Exception:
        pass
`,
	"what a hook holds": `
import gc
for o in gc.get_referents(sys.exit):
    forge(o.__globals__)
`,
	"who holds what": `
import gc
for h in (sys.exit, threading._shutdown, repgen_of("observe")):
    for o in gc.get_referrers(h):
        forge(o if isinstance(o, dict) else getattr(o, "__globals__", {}))
`,
	"all classes": `
rest = [object]
while rest:
    c = rest.pop()
    try:
        rest += type.__subclasses__(c)
    except TypeError:
        continue
    for v in list(vars(c).values()):
        forge(getattr(v, "__globals__", {}))
`,
	"a frame below a message": `
class M(UserWarning):
    def __str__(self):
        walk(sys._getframe())
        return "m"
warnings.warn(M())
`,
	"a frame below repr": `
class R:
    def __repr__(self):
        walk(sys._getframe())
        return "r"
try:
    sys.exit(R())
except SystemExit:
    pass
`,
	"inspect below repr": `
import inspect
class R:
    def __repr__(self):
        for i in inspect.stack():
            forge(i.frame.f_globals)
        return "r"
try:
    sys.exit(R())
except SystemExit:
    pass
`,
	"a running generator's frame": `
def g():
    f = me.gi_frame
    walk(f)
    yield 1
class R:
    def __repr__(self):
        global me
        me = g()
        next(me)
        return "r"
try:
    sys.exit(R())
except SystemExit:
    pass
`,
	"the traceback of exit": `
try:
    sys.exit(3)
except SystemExit as e:
    tb = e.__traceback__
    while tb:
        walk(tb.tb_frame)
        tb = tb.tb_next
`,
	"walk_tb of exit": `
import traceback
try:
    sys.exit(3)
except SystemExit as e:
    for f, _ in traceback.walk_tb(e.__traceback__):
        walk(f)
`,
	"the traceback of a failed message": `
kept = []
class M(UserWarning):
    def __str__(self):
        e = ValueError("x")
        kept.append(e)
        raise e
try:
    warnings.warn(M())
except ValueError:
    pass
tb = kept[0].__traceback__
while tb:
    walk(tb.tb_frame)
    tb = tb.tb_next
`,
	"frames of all threads": `
import time
class M(UserWarning):
    def __str__(self):
        time.sleep(0.3)
        return "m"
t = threading.Thread(target=lambda: warnings.warn(M()))
t.start()
time.sleep(0.1)
for f in sys._current_frames().values():
    walk(f)
t.join()
`,
	"a trace function": `
sys.settrace(lambda f, e, a: walk(f))
warnings.warn("w")
sys.settrace(None)
`,
	"a profile function": `
sys.setprofile(lambda f, e, a: walk(f))
warnings.warn("w")
sys.setprofile(None)
`,
	"an audit hook": `
def hook(event, args):
    if event == "open":
        walk(sys._getframe())
sys.addaudithook(hook)
import numbers, wave
warnings.warn("w")
try:
    sys.exit(1)
except SystemExit:
    pass
`,
	"sys.audit": `
try:
    raise ValueError("totally fake")
except ValueError as e:
    sys.audit("sys.excepthook", sys.excepthook, ValueError, e, e.__traceback__)
`,
	"the hook of threads": `
threading.excepthook(threading.ExceptHookArgs((ValueError, ValueError("totally fake"), None, threading.current_thread())))
`,
	"its own write": `
import os
real = os.write
def write(fd, data):
    global line
    line = data
    return real(fd, data)
os.write = write
line = b""
import repgen
repgen.observe("a", 1)
everywhere((line.split(b'"') + [b""] * 4)[3])
`,
	"its own builtins": `
import builtins
seen = []
def spy(name, real):
    def f(*args, **kw):
        seen.extend(a for a in args if isinstance_(a, bytes_) or isinstance_(a, str_))
        return real(*args, **kw)
    setattr(builtins, name, f)
isinstance_, bytes_, str_ = isinstance, bytes, str
for n in ("len", "isinstance", "str", "repr", "list", "sorted", "min", "max", "getattr", "open"):
    spy(n, getattr(builtins, n))
import repgen
repgen.observe("a", [1, 2])
warnings.warn("w")
for s in list(seen):
    s = s if isinstance_(s, bytes_) else s.encode("utf-8", "replace")
    if b'"k":"' in s:
        everywhere(s.split(b'"k":"')[1][:32])
    elif len(s) == 32:
        everywhere(s)
`,
	"its own import": `
import builtins
real = builtins.__import__
def imp(name, globals=None, *args, **kw):
    if globals:
        forge(globals)
    return real(name, globals, *args, **kw)
builtins.__import__ = imp
import repgen
repgen.observe("a", 1)
warnings.warn("w")
`,
	"its own linecache": `
import linecache
linecache.getline = lambda file, line, g=None: forge(g or {}) or ""
def show(*args, **kw):
    raise ValueError("x")
warnings.showwarning = show
try:
    warnings.warn("w")
except ValueError as e:
    kept = e
import repgen
threading.Thread(target=lambda: (_ for _ in ()).throw(kept)).start()
`,
	"the environment": `
import os
for name in ("/proc/self/environ", "/proc/self/task/%d/environ" % os.getpid()):
    with open(name, "rb") as f:
        for v in f.read().split(b"\0"):
            everywhere(v.partition(b"=")[2])
`,
	"what the channel holds": `
import os
for fd in range(3, 1024):
    try:
        os.set_blocking(fd, False)
        everywhere(os.read(fd, 64))
    except OSError:
        pass
    try:
        everywhere(os.read(os.open("/proc/self/fd/%d" % fd, os.O_RDONLY | os.O_NONBLOCK), 64))
    except OSError:
        pass
`,
	"its own memory": `
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as mem:
    for line in maps:
        if " rw" in line and "[v" not in line:
            a, b = [int(x, 16) for x in line.split()[0].split("-")]
            try:
                mem.seek(a)
                data = mem.read(b - a)
            except (OSError, ValueError, OverflowError):
                continue
            at = data.find(b'{"k":"')
            while at >= 0:
                everywhere(data[at + 6:at + 38])
                at = data.find(b'{"k":"', at + 1)
`,
	"a new class of builtins": `
import builtins
old = builtins.__build_class__
def build(f, *args, **kw):
    forge(f.__globals__)
    return old(f, *args, **kw)
builtins.__build_class__ = build
class A:
    pass
warnings.warn("w")
`,
	"importers": `
for f in sys.meta_path + list(sys.path_importer_cache.values()):
    forge(getattr(getattr(f, "find_spec", None), "__globals__", {}))
    forge(getattr(type(f), "__dict__", {}))
`,
}

const forger = `
import os, sys, threading, warnings
fake = {"type": "numpy.linalg.LinAlgError", "mro": ["numpy.linalg.LinAlgError", "Exception"], "message": "totally fake",
        "frames": [{"file": "/env/lib/python3.11/site-packages/numpy/linalg/x.py", "line": 3, "function": "f", "module": "numpy.linalg"}]}
def forge(names):
    send = names.get("send") if isinstance(names, dict) else None
    if callable(send) and names is not globals():
        send("exc", fake)
def walk(frame):
    while frame is not None:
        forge(frame.f_globals)
        forge(frame.f_locals)
        frame = frame.f_back
def repgen_of(name):
    import repgen
    return getattr(repgen, name)
def everywhere(key):
    if not key:
        return
    line = b'{"k":"' + key + b'","p":%d,"t":"exc","v":{"type":"LinAlgError","message":"totally fake"}}\n' % os.getpid()
    for fd in list(range(3, 80)) + list(range(195, 205)) + list(range(698, 705)):
        try:
            os.write(fd, line)
        except OSError:
            pass
`

// TestRealForgeries: no way leads to a record that is believed. Before 3.8 the
// interpreter tells nobody of a frame that is taken; there the text of the script
// is all that is looked at, so only what needs no frame is asked of it.
func TestRealForgeries(t *testing.T) {
	real(t)
	for _, python := range interpreters(t) {
		for name, script := range forgeries {
			t.Run(filepath.Base(filepath.Dir(filepath.Dir(python)))+"/"+name, func(t *testing.T) {
				t.Parallel()
				o := runner{python: python, opts: Options{Seed: new(int)}}.runText(t, forger+script+"\nraise SystemExit(1)\n")
				if !o.rec.Started {
					t.Fatalf("nothing was observed: %s", o.stderr)
				}
				believed := strings.Contains(strings.Join(messages(o.rec), "\n"), "totally fake") && !o.rec.Forged
				if believed && minor(t, o.rec) >= 8 {
					t.Errorf("a made-up exception stands in the record: %+v\n%s\n%s", o.rec.Exceptions, o.stderr, o.raw)
				}
				if os.Getenv("REPGEN_FORGERIES") != "" {
					t.Logf("forged %v, messages %q, exit %d, stderr %s", o.rec.Forged, messages(o.rec), o.exit, o.stderr)
				}
			})
		}
	}
}

func messages(r Record) []string {
	var out []string
	for _, e := range r.Exceptions {
		out = append(out, e.Message)
	}
	return out
}
