package triage

import (
	"testing"

	"github.com/repgen/repgen/internal/oracle"
)

// TestOnlyTelling: a change that a right library answers in the same way is no
// control, whatever the reporter says of it.
func TestOnlyTelling(t *testing.T) {
	shape := "\nimport numpy as np\n\nout = np.sum(np.ones((3, 4)), axis=1, keepdims=False)\nprint(out.shape)\n"
	for _, c := range []struct {
		name, title, prose, script string
		oracle                     oracle.Name
		contrasts, triggers        int
	}{
		{"keepdims", "sum returns the wrong shape", "`out` has shape (3,), should be (3, 1). With keepdims=True it is correct.", shape, oracle.OracleShape, 0, 0},
		{"dropout", "predict is not deterministic", "Different results on every run. Without `tinynet.Dropout` it is deterministic.",
			"\nimport tinynet\n\nnet = tinynet.Net(tinynet.Dropout(0.5))\nprint(net.predict(1))\n", oracle.OracleSpread, 0, 0},
		{"workers", "predict is not deterministic", "Different results on every run. With num_workers=0 it is fine.",
			"\nimport tinynet\n\nprint(tinynet.predict(1, num_workers=2))\n", oracle.OracleSpread, 1, 0},
		{"learning rate", "loss does not decrease", "With lr=0.001 it works.",
			"\nimport tinynet\n\nnet = tinynet.Net(lr=10.0)\nfor i in range(9):\n    print(\"loss\", net.step())\n", oracle.OracleLearning, 0, 0},
		{"jobs", "fit is 10 times slower", "With n_jobs=4 it is fast.",
			"\nimport tinyml\n\ntinyml.fit([1], n_jobs=1)\n", oracle.OracleSlow, 0, 0},
		{"input", "log returns nan", "With x=2.0 it works.",
			"\nimport tinymath\n\nx = -2.0\nprint(tinymath.log(x))\n", oracle.OracleNonFinite, 0, 0},
		{"wider type", "sum gives inf", "In float32 everything is fine.",
			"\nimport jax.numpy as jnp\n\nprint(jnp.sum(jnp.full(9, 3e4, dtype=jnp.float16)))\n", oracle.OracleNonFinite, 0, 0},
		{"fused", "step gives nan", "With fused=False it is fine.",
			"\nimport tinynet\n\nloss = tinynet.step(1, fused=True)\nprint(loss)\n", oracle.OracleNonFinite, 1, 0},
		{"another estimator", "std is wrong", "Output: `1.25`\n\nExpected: `1.53`\n\nWith `ddof=1` it works.",
			"\nimport numpy as np\n\nprint(np.std([1.0, 2.0, 4.0], ddof=0))\n", oracle.OraclePrinted, 0, 0},
		{"another backend", "std is wrong", "Output: `1.25`\n\nExpected: `1.53`\n\nWith `backend=\"plain\"` it works.",
			"\nimport tinymath\n\nprint(tinymath.std([1.0, 2.0, 4.0], backend=\"fast\"))\n", oracle.OraclePrinted, 1, 0},
		{"another number of points", "linspace has the wrong step", "Expected: the assert passes. With `num=11` it works.",
			"\nimport numpy as np\n\nx = np.linspace(0, 10, num=10)\nassert x[1] == 1.0\n", oracle.OracleAssert, 0, 0},
		{"a switch for the type", "linspace is not precise", "Output: `0.33333334`\n\nExpected: `0.3333333333`\n\nWith `JAX_ENABLE_X64=1` it works.",
			"\nimport jax.numpy as jnp\n\nprint(jnp.linspace(0, 1, 4)[1])\n", oracle.OraclePrinted, 0, 0},
		{"fewer draws", "the split repeats itself", "The printed values contain duplicates. Expected: all are unique. With `draws=1` it works.",
			"\nimport tinyml\n\nfor i in tinyml.split(9, draws=12):\n    print(\"value\", i)\n", oracle.OracleDuplicates, 0, 0},
		{"what allows it", "load fails", "```\nTraceback (most recent call last):\n  File \"t.py\", line 3, in <module>\n    tinyml.load(\"a\", allow_pickle=False)\nValueError: not allowed\n```\nWith `allow_pickle=True` it works.",
			"\nimport tinyml\n\ntinyml.load(\"a\", allow_pickle=False)\n", oracle.OracleException, 0, 0},
	} {
		d := decideOn(c.title, c.prose, c.script)
		if e := d.Expectation; e == nil || e.Oracle != c.oracle && (len(e.Also) == 0 || e.Also[0].Oracle != c.oracle) {
			t.Errorf("%s: expectation %+v, want %s", c.name, d.Expectation, c.oracle)
			continue
		}
		if len(d.Contrasts) != c.contrasts || len(d.Triggers) != c.triggers {
			t.Errorf("%s: contrasts %v, triggers %v", c.name, showContrasts(d.Contrasts), d.Triggers)
		}
	}
}

// TestCompiledEffects: a traced function prints, draws and reads the clock once,
// as documented, so that leaving the compiler out is no control of such a claim.
func TestCompiledEffects(t *testing.T) {
	for _, c := range []struct {
		name, before, body string
		contrasts          bool
	}{
		{"pure", "@jax.jit\n", "return jnp.exp(x)", true},
		{"prints", "@jax.jit\n", "print(x)\n    return x", false},
		{"another library's random numbers", "@jax.jit\n", "return x + np.random.rand()", false},
		{"the clock, under a second decorator", "@jax.jit\n@jax.vmap\n", "return x + time.time()", false},
		{"an effect of a function that is not compiled", "@jax.jit\ndef g(x):\n    return x\n\n\n", "print(g(x))\n    return g(x)", true},
	} {
		script := "\nimport time\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n\n" + c.before + "def f(x):\n    " + c.body + "\n\n\nprint(f(1.0))\n"
		d := decideOn("f is wrong under jit", "Output: `2.5`\n\nExpected: `2.7`\n\nWithout `jax.jit` it works.", script)
		if d.Expectation == nil || d.Expectation.Oracle != oracle.OraclePrinted {
			t.Errorf("%s: expectation %+v", c.name, d.Expectation)
		} else if got := len(d.Contrasts) > 0; got != c.contrasts {
			t.Errorf("%s: contrasts %v", c.name, showContrasts(d.Contrasts))
		}
	}
}
