package loops

import "testing"

// TestBindings: how sure each kind of name is, by what the module says of it.
func TestBindings(t *testing.T) {
	optimizer := func(f *facts, c *call) binding { return f.optimizer(c) }
	session := func(f *facts, c *call) binding { return f.session(c) }
	model := func(f *facts, c *call) binding { return f.kerasModel(c) }
	for _, c := range []struct {
		name string
		is   func(*facts, *call) binding
		src  string // its last call is the one that is asked about
		want float64
	}{
		{"made by torch", optimizer, "import torch\no = torch.optim.SGD(p)\no.step()", bySource},
		{"made under another name", optimizer, "from torch import optim as z\no = z.AdamW(p)\no.step()", bySource},
		{"a class by its name", optimizer, "from torch.optim import Adam\no = Adam(p)\no.step()", bySource},
		{"one of the project", optimizer, "from mine import ShampooOptimizer\no = ShampooOptimizer(p)\no.step()", bySource},
		{"annotated", optimizer, "import torch\ndef f(o: torch.optim.Optimizer):\n    o.step()", bySource},
		{"of an attribute", optimizer, "import torch\nself.o = torch.optim.SGD(p)\nself.o.step()", bySource},
		{"made on the spot", optimizer, "import tensorflow as tf\ntf.train.AdamOptimizer().minimize(l)", bySource},
		{"one of a list", optimizer, "import torch\noptimizers[0].step()", byName},
		{"given by a call", optimizer, "import torch\nself.optimizers().step()", byName},
		{"named so", optimizer, "import torch\noptimizer.step()", byName},
		{"named so in short", optimizer, "import torch\nopt_d.step()", byName},
		{"named so, no framework", optimizer, "optimizer.step()", byGuess},
		{"a module", optimizer, "from scipy import optimize\noptimize.minimize(f)", notIt},
		{"another name", optimizer, "import torch\nx.step()", notIt},
		{"a scheduler", optimizer, "import torch\nopt_scheduler.step()", notIt},
		{"a scheduler called an optimizer", optimizer, "import torch\noptim = torch.optim.lr_scheduler.StepLR(o)\noptim.step()", notIt},
		{"the last making counts", optimizer, "import torch, gym\no = torch.optim.SGD(p)\no = gym.make('x')\no.step()", notIt},
		{"the making before counts", optimizer, "import torch, gym\no = torch.optim.SGD(p)\no.step()\no = gym.make", bySource},
		{"the own function counts", optimizer, "import torch, gym\no = gym.make('x')\ndef f():\n    o = torch.optim.SGD(p)\n    o.step()", bySource},
		{"another function does not", optimizer, "import torch\ndef g():\n    x = torch.optim.SGD(p)\ndef f():\n    x.step()", notIt},

		{"session", session, "import tensorflow as tf\ns = tf.Session()\ns.run(x)", bySource},
		{"session of version 1", session, "import tensorflow as tf\ns = tf.compat.v1.Session()\ns.run(x)", bySource},
		{"session of with", session, "import tensorflow as tf\nwith tf.Session(graph=g) as s:\n    s.run(x)", bySource},
		{"second item of with", session, "import tensorflow as tf\nwith g.as_default(), tf.Session() as s:\n    s.run(x)", bySource},
		{"monitored", session, "import tensorflow as tf\nwith tf.train.MonitoredTrainingSession() as s:\n    s.run(x)", bySource},
		{"asked for", session, "import keras.backend as K\nK.get_session().run(x)", bySource},
		{"named so", session, "import tensorflow as tf\nself._sess.run(x)", byName},
		{"in a snippet", session, "sess.run(x)", byGuess},
		{"in a snippet, a common word", session, "session.run(x)", notIt},
		{"made by something else", session, "import tensorflow as tf\nsess = ort.InferenceSession('x')\nsess.run(x)", notIt},
		{"of another package", session, "import boto3\ns = boto3.Session()\ns.run(x)", notIt},
		{"no receiver", session, "import tensorflow as tf\nrun(x)", notIt},

		{"model", model, "import keras\nm = keras.Model(a, b)\nm.fit(x)", bySource},
		{"compiled", model, "import keras\nz.compile('adam', 'mse')\nz.fit(x)", bySource},
		{"of this module", model, "import keras\nclass N(keras.Model): pass\nn = N()\nn.fit(x)", bySource},
		{"base of a base", model, "import keras\nclass B(keras.Model): pass\nclass N(B): pass\nn = N()\nn.fit(x)", bySource},
		{"itself", model, "import keras\nclass N(keras.Model):\n    def f(self):\n        self.fit(x)", bySource},
		{"named so", model, "import keras\nmodel.fit(x)", byName},
		{"named so, no Keras", model, "model.fit(x)", notIt},
		{"of scikit-learn", model, "import keras, sklearn.svm\nmodel = sklearn.svm.SVC()\nmodel.fit(x)", notIt},
		{"a layer", model, "import keras\nm = keras.layers.Normalization()\nm.fit(x)", notIt},
		{"itself, no model", model, "import keras\nclass N:\n    def f(self):\n        self.fit(x)", notIt},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := factsOf(c.src)
			got := c.is(f, &f.calls[len(f.calls)-1])
			if got.sure != c.want {
				t.Errorf("%.1f (%s), want %.1f", got.sure, got.why, c.want)
			}
			if (got.why != "") != (got.sure > notIt) {
				t.Errorf("why %q", got.why)
			}
		})
	}
}

func TestLoader(t *testing.T) {
	for src, want := range map[string]float64{
		"import torch\nfor x in train_loader: pass":                                byName,
		"import torch\nfor i, x in tqdm(enumerate(self.val_dl)): pass":             byName,
		"from torch.utils.data import DataLoader as L\nd = L(x)\nfor x in d: pass": bySource,
		"from torch.utils.data import DataLoader\nfor x in DataLoader(data): pass": bySource,
		"for batch in batches: pass":                                               byGuess,
		"import torch\nfor i in range(num_batches): pass":                          notIt,
		"import torch\nfor i in range(batch_size): pass":                           notIt,
		"import torch\nfor model in models: pass":                                  notIt,
	} {
		f := factsOf(src)
		loop := int32(len(f.n.Statements) - 2)
		if got := f.loader(loop); got.sure != want {
			t.Errorf("%q: %.1f (%s), want %.1f", src, got.sure, got.why, want)
		}
	}
}

func TestArguments(t *testing.T) {
	f := factsOf("f(a, g(b, c=1), *d, e=2, **h)\nf()\nf(x for x in y)\nf((1, 2), [3], {4: 5})\n")
	want := []struct{ positional, named int }{{4, 1}, {1, 1}, {0, 0}, {1, 0}, {3, 0}}
	if len(f.calls) != len(want) {
		t.Fatalf("%d calls", len(f.calls))
	}
	for i, w := range want {
		if c := f.calls[i]; c.positional != w.positional || len(c.args) != w.named {
			t.Errorf("call %d: %d positional, named %v", i, c.positional, c.args)
		}
	}
}

func TestExtent(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      int // line of the loop that is given for the last call
	}{
		{"innermost", "for a in b:\n    for c in d:\n        f()", 2},
		{"epochs", "for epoch in r:\n    for c in d:\n        f()", 1},
		{"epochs by what is counted", "for i in range(n_epochs):\n    for c in d:\n        f()", 1},
		{"epochs further out", "for epoch in r:\n    for a in b:\n        for c in d:\n            f()", 1},
		{"while", "while epoch < 3:\n    while x:\n        f()", 1},
		{"not through a function", "for epoch in r:\n    def g():\n        for c in d:\n            f()", 3},
		{"closure", "for c in d:\n    def g():\n        f()", 1},
		{"not through a method", "for c in d:\n    class A:\n        def g(self):\n            f()", 0},
		{"with between", "for epoch in r:\n    with x:\n        for c in d:\n            if y:\n                f()", 1},
		{"no loop", "f()", 0},
	} {
		f := factsOf(c.src)
		loop := f.loopAround(f.calls[len(f.calls)-1].Statement)
		got := 0
		if loop >= 0 {
			got = int(f.n.Statements[f.extent(loop)].Line)
		}
		if got != c.want {
			t.Errorf("%s: line %d, want %d", c.name, got, c.want)
		}
	}
}

func TestContent(t *testing.T) {
	for src, want := range map[string]string{
		"model(x)": "forward", "self(x)": "forward", "net.forward(x)": "forward", "x.loss": "loss", "F.cross_entropy(x)": "loss",
		"import torch\nl.backward()": "backward", "tape.gradient(x)": "backward", "import torch\noptimizer.step()": "step",
		"sched.step()": "none of forward, loss, backward, step", "opt.minimize(y)": "backward, step", "m.fit(x)": "forward, backward, step",
		"m.compile()\nm.fit(x)": "forward, loss, backward, step",
	} {
		f := factsOf(src)
		if got := partText(f.content(piece{0, int32(len(f.n.Statements))}).parts); got != want {
			t.Errorf("%q has %s, want %s", src, got, want)
		}
	}
}
