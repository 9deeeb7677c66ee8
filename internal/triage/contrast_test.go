package triage

import (
	"reflect"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/report"
)

// decideOn decides on a report of a title, words and a script.
func decideOn(title, prose, script string) *Decision {
	text := "# " + title + "\n\n" + prose + "\n"
	if script != "" {
		text += "\n```python\n" + strings.TrimSpace(script) + "\n```\n"
	}
	return Decide(report.Parse([]byte(text), report.Source{Kind: "file", Name: "t.md"}), Options{})
}

const loaderScript = `
import torch
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.zeros(8, 2))
for batch in DataLoader(data, batch_size=4, num_workers=2, drop_last=True):
    print(batch)
`

const jaxScript = `
import jax
import jax.numpy as jnp

@jax.jit
def f(x):
    return jnp.exp(x)

print(f(jnp.asarray(0.7, dtype=jnp.float64)))
`

const dropScript = `
import torch
import torch.nn as nn

net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.ReLU())
net = torch.compile(net)
opt = torch.optim.AdamW(net.parameters(), lr=0.1, foreach=True)
torch.manual_seed(0)
print(net(torch.ones(1, 4)))
`

const kerasScript = `
import keras

model = keras.Sequential([keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")
model.fit([[1.0]], [[2.0]])
`

// contrastCase is what a report says beside a script, and what follows from it:
// contrasts as "kind target=value" with "!" before those that bring the
// symptom, triggers as they stand.
type contrastCase struct {
	name, title, prose, script string
	contrasts, triggers        []string
}

var contrastCases = []contrastCase{
	{"with value", "DataLoader stops", "With `num_workers=0` it works.", loaderScript, []string{"argument num_workers=0"}, nil},
	{"bare value", "DataLoader stops", "It works fine with num_workers=0, but hangs with num_workers=2.", loaderScript,
		[]string{"argument num_workers=0", "!argument num_workers=2"}, []string{"num_workers=2"}},
	{"set to", "DataLoader stops", "When drop_last is set to True it hangs.", loaderScript, []string{"!argument drop_last=True"}, []string{"drop_last=True"}},
	{"set it", "DataLoader stops", "If I set drop_last to False, everything is fine.", loaderScript, []string{"argument drop_last=False"}, nil},
	{"greater", "DataLoader hangs with num_workers > 0", "Nothing more to say.", loaderScript, []string{"!argument num_workers=2"}, []string{"num_workers=2"}},
	{"only", "DataLoader stops", "This only fails with `drop_last=True`.", loaderScript, []string{"!argument drop_last=True"}, []string{"drop_last=True"}},
	{"disappears", "DataLoader stops", "The issue disappears when num_workers = 0.", loaderScript, []string{"argument num_workers=0"}, nil},
	{"worker", "DataLoader stops", "With one worker there is no problem.", loaderScript, []string{"argument num_workers=0"}, nil},
	{"without keyword", "DataLoader stops", "Without `drop_last` it works.", loaderScript, []string{"without drop_last="}, []string{"drop_last=True"}},
	{"turn off", "DataLoader stops", "After turning off drop_last the hang is gone.", loaderScript, []string{"argument drop_last=False"}, []string{"drop_last=True"}},
	{"disabling", "DataLoader stops", "Disabling `drop_last` solves it.", loaderScript, []string{"argument drop_last=False"}, []string{"drop_last=True"}},
	{"not in the script", "DataLoader stops", "It works with pin_memory=False.", loaderScript, nil, nil},
	{"same as the script", "DataLoader stops", "It works with num_workers=2.", loaderScript, nil, nil},
	{"wish", "DataLoader stops", "It should work with num_workers=0.", loaderScript, nil, nil},
	{"question", "DataLoader stops", "Does it work with num_workers=0?", loaderScript, nil, nil},
	{"denied", "DataLoader stops", "Setting num_workers=0 does not work.", loaderScript, nil, nil},
	{"denied help", "DataLoader stops", "It does not help to set num_workers=0.", loaderScript, nil, nil},
	{"two values", "Wrong batches", "The result with num_workers=2 is different from num_workers=0.", loaderScript, nil, nil},
	{"also fails", "DataLoader stops", "It fails without drop_last as well.", loaderScript, nil, nil},

	{"without call", "Wrong sum", "If I remove `nn.Dropout` the result is correct.", dropScript, []string{"without nn.Dropout="}, []string{"nn.Dropout"}},
	{"without word", "Wrong sum", "Without dropout everything works.", dropScript, []string{"without nn.Dropout="}, []string{"nn.Dropout"}},
	{"comment out", "Wrong sum", "It goes away if I comment out the call to `torch.manual_seed`.", dropScript,
		[]string{"without torch.manual_seed="}, []string{"torch.manual_seed"}},
	{"compile", "Wrong sum", "Without torch.compile it is fine.", dropScript,
		[]string{"env TORCHDYNAMO_DISABLE=1", "without torch.compile="}, []string{"torch.compile"}},
	{"instead", "Wrong sum", "Using `torch.optim.SGD` instead of `torch.optim.AdamW` works.", dropScript,
		[]string{"instead torch.optim.AdamW=torch.optim.SGD"}, []string{"torch.optim.AdamW"}},
	{"replace", "Wrong sum", "Replacing nn.Dropout with nn.Identity fixes it.", dropScript,
		[]string{"instead nn.Dropout=nn.Identity"}, []string{"nn.Dropout"}},
	{"caused by", "Wrong sum", "The NaN is caused by `foreach=True`.", dropScript, []string{"!argument foreach=True"}, []string{"foreach=True"}},
	{"culprit", "Wrong sum", "I think the bug is in `nn.ReLU`, it is wrong.", dropScript, nil, nil},
	{"only when", "Wrong sum", "It only fails when I use `torch.manual_seed`.", dropScript, nil, []string{"torch.manual_seed"}},
	{"as soon as", "Wrong sum", "As soon as I add nn.Dropout it breaks.", dropScript, nil, []string{"nn.Dropout"}},
	{"title", "Wrong sum with nn.Dropout", "See below.", dropScript, nil, nil},
	{"title keyword", "Wrong sum with foreach", "See below.", dropScript, nil, []string{"foreach=True"}},
	{"works the same", "DataLoader stops", "Setting num_workers=0 works the same way.", loaderScript, nil, nil},
	{"another version", "DataLoader stops", "With torch 1.13 and num_workers=0 it works. torch 2.0", loaderScript, nil, nil},
	{"common word", "Wrong sum", "Without the model it works.", dropScript, nil, nil},
	{"common package", "Wrong sum", "Without torch it works.", dropScript, nil, nil},

	{"eager", "NaN lost", "In eager mode the value is correct.", jaxScript, []string{"env JAX_DISABLE_JIT=1"}, nil},
	{"jit off", "NaN lost", "Without `jax.jit` it is fine.", jaxScript, []string{"env JAX_DISABLE_JIT=1", "without jax.jit="}, []string{"jax.jit"}},
	{"variable", "NaN lost", "With JAX_DISABLE_JIT=1 there is no problem.", jaxScript, []string{"env JAX_DISABLE_JIT=1"}, nil},
	{"variable bad", "NaN lost", "With XLA_FLAGS=--x it fails as well.", jaxScript, nil, nil},
	{"variant", "NaN lost", "One of our tests fails, but only the jitted variant.", jaxScript, []string{"env JAX_DISABLE_JIT=1"}, nil},
	{"precision", "NaN lost", "In float32 everything is fine.", jaxScript, []string{"instead jnp.float64=jnp.float32"}, nil},
	{"same precision", "NaN lost", "In float64 everything is fine.", jaxScript, nil, nil},
	{"eagerly", "fit fails", "With run_eagerly=True it trains fine.", kerasScript, []string{"argument run_eagerly=True"}, nil},
	{"eager keras", "fit fails", "It works in eager mode.", kerasScript, []string{"argument run_eagerly=True"}, nil},
}

func TestContrasts(t *testing.T) {
	for _, c := range contrastCases {
		t.Run(c.name, func(t *testing.T) {
			d := decideOn(c.title, c.prose, c.script)
			if got := showContrasts(d.Contrasts); !reflect.DeepEqual(got, c.contrasts) {
				t.Errorf("contrasts %q, want %q", got, c.contrasts)
			}
			var triggers []string
			for _, tr := range d.Triggers {
				triggers = append(triggers, tr.Target)
			}
			if !reflect.DeepEqual(triggers, c.triggers) {
				t.Errorf("triggers %q, want %q", triggers, c.triggers)
			}
		})
	}
}

func showContrasts(list []Contrast) []string {
	var shown []string
	for _, c := range list {
		text := c.Kind + " " + c.Target + "=" + c.Value
		if c.Bad {
			text = "!" + text
		}
		shown = append(shown, text)
	}
	return shown
}

// TestContrastComments: a comment speaks of the line that it stands on, or of
// the one below.
func TestContrastComments(t *testing.T) {
	script := `
import tinylib

h = tinylib.open_handle(3)
tinylib.warm_up(h)  # without this line it works
print(tinylib.read(h))
`
	d := decideOn("read gives zeros", "See the comment.", script)
	if got := showContrasts(d.Contrasts); !reflect.DeepEqual(got, []string{"without tinylib.warm_up(h)="}) {
		t.Errorf("contrasts %q", got)
	}
	if len(d.Triggers) != 1 || d.Triggers[0].Target != "tinylib.warm_up(h)" {
		t.Errorf("triggers %+v", d.Triggers)
	}
}

// TestContrastSpans: each change stands on the reporter's own words.
func TestContrastSpans(t *testing.T) {
	for _, c := range contrastCases {
		text := "# " + c.title + "\n\n" + c.prose + "\n\n```python\n" + strings.TrimSpace(c.script) + "\n```\n"
		r := report.Parse([]byte(text), report.Source{})
		d := Decide(r, Options{})
		for _, k := range d.Contrasts {
			if k.Span == nil || k.Span.Start >= k.Span.End || k.Span.End > len(r.Text) || k.Words == "" {
				t.Errorf("%s: contrast %+v has no words", c.name, k)
			} else if said := r.Text[k.Span.Start:k.Span.End]; !strings.Contains(c.title+"\n"+c.prose, strings.TrimSpace(said)) {
				t.Errorf("%s: %q is not what the report says", c.name, said)
			}
		}
		for _, k := range d.Triggers {
			if k.Span == nil || !strings.Contains(r.Text, strings.TrimSpace(r.Text[k.Span.Start:k.Span.End])) || k.Words == "" {
				t.Errorf("%s: trigger %+v has no words", c.name, k)
			}
		}
	}
}

// TestNoContrastInALog: an unfenced traceback quotes the script's arguments and
// fails, but nobody says that they bring it.
func TestNoContrastInALog(t *testing.T) {
	d := routed("# solve fails with arrays\n\n```python\nimport diffrax\n\nsol = diffrax.solve(1.0, dt0=0.1)\n```\n\nOutput:\n\n_ValueError                                Traceback (most recent call last)\n[/Users/me/a.ipynb](https://example.org/a.ipynb) Cell 3 line 1\n---> 10 sol = diffrax.solve(1.0, dt0=0.1)\n")
	if len(d.Contrasts)+len(d.Triggers) > 0 {
		t.Errorf("%+v %+v", d.Contrasts, d.Triggers)
	}
}
