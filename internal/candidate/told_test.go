package candidate

import (
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/symptom"
)

var wantOfKeras = &oracle.Expectation{
	Oracle: oracle.OracleException, Subject: "keras", Modules: []string{"keras"},
	Symptom: symptom.Symptom{Kind: symptom.Exception, Exception: "AttributeError"},
}

// TestReleaseIsNotAsked: a script of somebody else that learns which release it
// runs on, by whatever way, could do something else there.
func TestReleaseIsNotAsked(t *testing.T) {
	for name, lines := range map[string]string{
		"files":        "import importlib.metadata as m\np = {20: 5}.get(len(m.files('keras')), 1)\nkeras.f(p)\n",
		"by getattr":   "from importlib import metadata\nf = getattr(metadata, 'vers' + 'ion')\nif f('keras') == '3':\n    keras.f(5)\n",
		"on the fly":   "m = __import__('importlib.metadata', fromlist=['x'])\nkeras.f(m.version('keras'))\n",
		"resources":    "from importlib import resources\np = len(resources.read_text('keras', '__init__.py'))\nkeras.f(p)\n",
		"pkgutil":      "import pkgutil\nkeras.f(len(pkgutil.get_data('keras', '__init__.py')))\n",
		"modules":      "import sys\nm = sys.modules['keras']\nkeras.f(len(m.__doc__))\n",
		"prefix":       "import os, sys\nkeras.f(sum(len(f) for _, _, f in os.walk(sys.prefix)))\n",
		"env":          "from pathlib import Path\nkeras.f(len(list(Path('/env').rglob('keras-3*'))))\n",
		"code":         "keras.f(keras.g.__code__.co_firstlineno)\n",
		"annotations":  "p = 5 if 'x' in str(keras.f.__annotations__) else 1\nkeras.f(p)\n",
		"traceback":    "import sys\nprint(sys.exc_info())\nkeras.f(e.__traceback__.tb_lineno)\n",
		"map":          "p = list(map(hasattr, [keras], ['old']))[0]\nkeras.f(p)\n",
		"get":          "p = {9: 5}.get(len(dir(keras)), 1)\nkeras.f(p)\n",
		"argument":     "p = getattr(keras, 'old', 5)\nkeras.f(p)\n",
		"try":          "p = 5\ntry:\n    import keras.old\n    p = 1\nexcept ImportError:\n    pass\nkeras.f(p)\n",
		"else":         "p = 5\ntry:\n    keras.old\nexcept AttributeError:\n    pass\nelse:\n    p = 1\nkeras.f(p)\n",
		"function":     "def p():\n    try:\n        keras.old\n    except AttributeError:\n        return 5\n    return 1\n\n\nkeras.f(p())\n",
		"returns":      "def main():\n    try:\n        keras.old\n        return\n    except AttributeError:\n        pass\n    keras.f(5)\n\n\nmain()\n",
		"exits":        "try:\n    keras.old\n    raise SystemExit\nexcept AttributeError:\n    pass\nkeras.f(5)\n",
		"finally":      "def main(p=5):\n    try:\n        keras.old\n        p = 1\n    finally:\n        return keras.f(p)\n\n\nmain()\n",
		"handler":      "try:\n    keras.old\nexcept AttributeError:\n    keras.f(5)\n",
		"suppress":     "import contextlib\np = 5\nwith contextlib.suppress(AttributeError):\n    keras.old\n    p = 1\nkeras.f(p)\n",
		"own manager":  "class S:\n    def __enter__(self):\n        return self\n\n    def __exit__(self, *a):\n        return True\n\n\nwith S():\n    keras.old\nkeras.f(1)\n",
		"in a deletor": "class D:\n    def __del__(self):\n        keras.old\n\n\nD()\nkeras.f(1)\n",
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range []*Candidate{FromScript("import keras\n" + lines), FromAgent("import keras\n"+lines, "x")} {
				if len(c.RefusalsFor(wantOfKeras)) == 0 {
					t.Errorf("%s: believed", c.Origin)
				}
			}
		})
	}
}

// TestReporterMayLook, but not do something else for what he sees.
func TestReporterMayLook(t *testing.T) {
	for lines, refused := range map[string]bool{
		"import importlib.metadata as m\nprint(m.version('keras'))\nkeras.f(5)\n":                         false,
		"import inspect\nprint(inspect.getsource(keras.f))\nkeras.f(5)\n":                                 false,
		"import pkgutil\nn = len(pkgutil.get_data('keras', '__init__.py'))\nprint(n)\nkeras.f(5)\n":       false,
		"import pkgutil\nn = len(pkgutil.get_data('keras', '__init__.py'))\nif n == 7:\n    keras.f(5)\n": true,
		// One name that stands there is asked for; all of them, or one that does not, is a release.
		"if hasattr(keras, 'g'):\n    keras.g(5)\nkeras.f(5)\n":                                                      false,
		"for n in ('f', 'g'):\n    if getattr(keras, n)(5):\n        print(n)\n":                                     false,
		"def t(n):\n    if getattr(keras, n)(5):\n        print(n)\nt('f')\n":                                        false,
		"print(dir(keras))\nfor n in dir(keras):\n    print(n)\nkeras.f(5)\n":                                        false,
		"assert 'f' in dir(keras)\n":                                                                                 false,
		"if 'g' in vars(keras):\n    keras.f(5)\n":                                                                   true,
		"n = len(dir(keras))\nkeras.f(5 if n > 7 else 1)\n":                                                          true,
		"keras.f({7: 5}.get(len(keras.__dict__), 1))\n":                                                              true,
		"if getattr(keras, ''.join(map(chr, [95, 95, 118]))) < '3':\n    keras.f(5)\n":                               true,
		"n = input()\nv = getattr(keras, n)\nif v < '3':\n    keras.f(5)\n":                                          true,
		"keras.f.__globals__['x']\nkeras.f(5)\n":                                                                     true,
		"import warnings\nwarnings._showwarnmsg.__globals__\nkeras.f(5)\n":                                           true,
		"import sys\nf = sys._getframe().f_back\nkeras.f(5)\n":                                                       true,
		"f = getattr(keras.f, '__closure__')\nkeras.f(5)\n":                                                          true,
		"import ctypes\nctypes.cast(1, ctypes.py_object)\nkeras.f(5)\n":                                              true,
		"def g():\n    return keras.f(5)\nprint(g.__closure__, g.__globals__.keys())\ng()\n":                         false,
		"from importlib import metadata\nf = metadata.files('keras')\nkeras.f({9: 5}.get(len(f), 1))\n":              true,
		"n = keras.f.__code__.co_firstlineno\nkeras.f(n)\n":                                                          true,
		"if len(keras.f.__code__.co_code) > 9:\n    keras.f(5)\n":                                                    true,
		"import importlib.metadata as m\nv = m.version('keras')\nprint('keras', v)\nx = keras.f(5)\nassert x == 5\n": false,
	} {
		text := "import keras\n" + lines
		if c := Reread(&Candidate{Script: text, Original: text, Origin: originReporter}); (len(c.Refusals) > 0) != refused {
			t.Errorf("%s: refused %q", lines, c.Refusals)
		}
	}
}

// TestCatchingIsFine where it decides nothing.
func TestCatchingIsFine(t *testing.T) {
	for name, lines := range map[string]string{
		"printed":      "try:\n    keras.g(1)\nexcept ValueError as e:\n    print('good:', e)\nkeras.f(5)\n",
		"of others":    "try:\n    import tqdm\n    bar = tqdm.tqdm\nexcept ImportError:\n    bar = list\nfor i in bar([1]):\n    keras.f(i)\n",
		"passed on":    "try:\n    p = keras.g(1)\nexcept ValueError:\n    raise\nkeras.f(p)\n",
		"shown":        "try:\n    out = keras.g(1)\nexcept ValueError:\n    out = None\nprint(out)\nkeras.f(5)\n",
		"before it":    "p = keras.g(1)\ntry:\n    keras.f(p)\nexcept ValueError as e:\n    print(e)\n",
		"printed name": "import sys\nprint(keras.__version__, sys.modules['keras'], keras.f.__code__)\nkeras.f(5)\n",
	} {
		t.Run(name, func(t *testing.T) {
			if got := FromScript("import keras\n" + lines).RefusalsFor(wantOfKeras); len(got) > 0 {
				t.Errorf("refused %q", got)
			}
		})
	}
}

// TestExceptionsAreNotMadeOver, by anybody: the traceback of another exception
// makes one that was raised by hand look like the library's.
func TestExceptionsAreNotMadeOver(t *testing.T) {
	const caught = "import keras\ntry:\n    keras.f(1)\nexcept Exception as e:\n    "
	for name, text := range map[string]string{
		"with_traceback": caught + "raise AttributeError('x').with_traceback(e.__traceback__.tb_next)\n",
		"kept":           caught + "tb = e\nerr = AttributeError('x')\nerr.__traceback__ = tb\nraise err\n",
		"throw":          caught + "g.throw(AttributeError, AttributeError('x'), e)\n",
		"message":        caught + "e.args = ('x',)\n    raise\n",
		"message later":  caught + "kept = e\nkept.args = ('x',)\nraise kept\n",
		"type":           "import keras, types\nkeras.f(types.TracebackType(None, None, 0, 0))\n",
		"setattr":        "import keras\nsetattr(keras.f, '__traceback__', 1)\n",
		"spelled":        "import keras\ngetattr(keras.f(1), 'with_' + 'traceback')(2)\n",
		"joined":         "import keras, builtins\nc = getattr(builtins, ''.join(['ex', 'ec']))\nc('keras.f(1)')\n",
	} {
		c := Reread(&Candidate{Script: text, Original: text, Origin: originReporter})
		if len(c.Refusals) == 0 {
			t.Errorf("%s: not refused", name)
		}
	}
	honest := "import keras\nclass A:\n    def __init__(self, *args):\n        try:\n            self.args = args\n        except TypeError:\n            self.args = ()\n" +
		"try:\n    keras.f(getattr(keras, f'float{32}'))\nexcept ValueError as e:\n    raise e\n"
	if c := Reread(&Candidate{Script: honest, Original: honest, Origin: originReporter}); len(c.Refusals) > 0 {
		t.Errorf("honest: %q", c.Refusals)
	}
}
