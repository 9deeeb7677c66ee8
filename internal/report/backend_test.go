package report

import "testing"

func TestKerasBackend(t *testing.T) {
	for _, c := range []struct{ title, text, want string }{
		{"eye fails in a layer with JAX backend", "It works well with the Tensorflow backend.", "jax"},
		{"eye fails", "I use the PyTorch backend and get nan.", "torch"},
		{"eye fails", "With the jax backend it fails. The tf backend is fine.", "jax"},
		{"eye fails", "It fails on the jax backend. It fails on the torch backend.", ""},
		{"eye fails", "KERAS_BACKEND=torch is set. It fails on the jax backend.", "torch"},
		{"eye fails", "No word of it.", ""},
	} {
		r := Parse([]byte("# "+c.title+"\n\n"+c.text+"\n\n```python\nimport keras\nkeras.ops.eye(3)\n```\n"), Source{})
		got := ""
		for _, e := range r.Env {
			got += e.Value
		}
		if got != c.want {
			t.Errorf("%s / %s: backend %q, want %q", c.title, c.text, got, c.want)
		}
	}
	if r := Parse([]byte("# svd fails on the jax backend\n\n```python\nimport einops\nprint(1)\n```\n"), Source{}); len(r.Env) > 0 {
		t.Errorf("a report that is not about keras sets %v", r.Env)
	}
}
