package triage

import (
	"testing"

	"github.com/repgen/repgen/internal/report"
)

// handmade is a report with a title, prose and one block of code.
func handmade(title, prose, code string) *report.Report {
	text := title + "\n\n" + prose + "\n\n"
	r := &report.Report{Text: text + code, Title: title, TitleSpan: report.Span{End: len(title)}}
	r.Sections = []report.Section{{Span: report.Span{End: len(r.Text)}}}
	if code != "" {
		r.Blocks = []report.Block{{Kind: report.BlockPython, Text: code, Span: report.Span{Start: len(text), End: len(r.Text)}}}
	}
	return r
}

func TestReadHardware(t *testing.T) {
	cases := []struct {
		name, title, prose, code string
		needs, lower             bool
	}{
		{name: "plain", title: "sum is wrong", code: "import torch\nprint(torch.ones(2).sum())"},
		{name: "only a device", title: "sum is wrong", code: "import torch\nx = torch.ones(2, device='cuda')", lower: true},
		{name: "method", title: "sum is wrong", code: "import torch\nx = torch.ones(2).cuda(0)", lower: true},
		{name: "guarded", title: "sum is wrong", code: "import torch\nd = 'cuda' if torch.cuda.is_available() else 'cpu'"},
		{name: "timing only", title: "sum is wrong", code: "import torch\ntorch.cuda.synchronize()\nx = torch.ones(2, device='cuda')", lower: true},
		{name: "timing, and the title says where", title: "compiled assert is lost on the GPU", code: "import torch\ntorch.cuda.synchronize()", needs: true},
		{name: "graphs", title: "capture fails", code: "import torch\ng = torch.cuda.CUDAGraph()", needs: true},
		{name: "streams", title: "order", code: "import torch\ns = torch.cuda.Stream()", needs: true},
		{name: "module", title: "attention mask", code: "import flash_attn\nflash_attn.f()", needs: true},
		{name: "distributed", title: "loss", code: "import torch.nn.parallel as p\nm = p.DistributedDataParallel(m0)", needs: true},
		{name: "two devices", title: "loss", code: "import lightning as L\nL.Trainer(devices=2, accelerator='gpu')", needs: true},
		{name: "two processes on the CPU", title: "loss", code: "import lightning as L\nL.Trainer(devices=2, accelerator='cpu')"},
		{name: "more than one, in the title", title: "dispatch breaks for > 1 GPU devices", code: "import torch", needs: true},
		{name: "multiple, in the title", title: "wrong loss with multiple GPU devices", code: "import torch", needs: true},
		{name: "more than one, beside a version", title: "loss differs since torch 2 GPU builds", code: "import torch"},
		{name: "one of two hosts", title: "setup fails", code: "import jax\njax.distributed.initialize(coordinator_address='a:1', num_processes=2, process_id=0)", needs: true},
		{name: "a rank of four", title: "setup fails", code: "import torch.distributed as d\nd.init_process_group('gloo', world_size=4, rank=3)", needs: true},
		{name: "a group of one", title: "setup fails", code: "import torch.distributed as d\nd.init_process_group('gloo', world_size=1, rank=0)"},
		{name: "it starts its group itself", title: "setup fails", code: "import torch.distributed as d\nd.init_process_group('gloo', world_size=2, rank=rank)"},
		{name: "nccl", title: "NCCL broadcast is wrong", prose: "the second rank gets zeros", needs: true},
		{name: "cuda graphs in the title", title: "CUDA graphs: wrong result", needs: true},
		{name: "no GPU", title: "argmin picks the wrong entry", prose: "Ubuntu 22.04, no GPU"},
		{name: "no GPU involved", title: "DDPM steps", prose: "No GPU involved."},
		{name: "also on a TPU", title: "zeros for half precision", prose: "CPU (also on a TPU pod), Python 3.11"},
		{name: "cpu only", title: "jit loses a NaN", prose: "jax 0.6.2 from pip, CPU only"},
		{name: "both", title: "wrong sum", prose: "The same on CPU and GPU.", code: "import torch\nx = torch.ones(1, device='cuda')", lower: true},
		{name: "only there", title: "wrong sum", prose: "On CPU it works, on the GPU it does not.", needs: true},
		{name: "difference", title: "results differ between CPU and CUDA", needs: true},
		{name: "environment list", title: "wrong sum", prose: "- GPU models: NVIDIA A100\n- CUDA/cuDNN version: 12.1\n- Using distributed: no"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := readHardware(newReading(handmade(c.title, c.prose, c.code), Options{}))
			if (h.points >= needed) != c.needs || h.lower && !c.lower && !c.needs {
				t.Errorf("points %d, lower %v, want needed %v, lower %v: %+v", h.points, h.lower, c.needs, c.lower, h.needs)
			}
			if c.lower && !h.lower {
				t.Error("the device could be lowered, and that was not seen")
			}
		})
	}
}

func TestDeviceLog(t *testing.T) {
	for text, want := range map[string]bool{
		"RuntimeError: CUDA error: device-side assert triggered":             true,
		"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate": true,
		"RuntimeError: found at least two devices, cuda:0 and cpu!":          true,
		"RuntimeError: Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_mm)": true,
		"RuntimeError: Expected all tensors to be on the same device, but got a is on cpu, different from other tensors on meta":                                                         false,
		"AssertionError: Torch not compiled with CUDA enabled":                                     false,
		"RuntimeError: Found no NVIDIA driver on your system.":                                     false,
		"could not open file to read NUMA node; Cannot dlopen some GPU libraries; cuda drivers on": false,
	} {
		r := handmade("title", "prose", "")
		r.Blocks = []report.Block{{Kind: report.BlockTraceback, Text: text}}
		h := readHardware(newReading(r, Options{}))
		if (h.points >= needed) != want {
			t.Errorf("%q: points %d, want needed %v", text, h.points, want)
		}
	}
}

func TestNotABug(t *testing.T) {
	cases := []struct {
		title, prose string
		labels       []string
		want         bool
	}{
		{title: "How to freeze a layer?", want: true},
		{title: "[Question] Which optimiser should I use?", want: true},
		{title: "Feature request: groups for TimeSeriesSplit", want: true},
		{title: "Add support for float8", want: true},
		{title: "Nicer repr of pipelines", labels: []string{"type: enhancement"}, want: true},
		{title: "How can I avoid the ValueError in fit?"},
		{title: "Add an error for wrong shapes", prose: "It silently returns nonsense."},
		{title: "Is it possible that sum is wrong?"},
		{title: "NaN with xpos"},
		{title: "Wrong result", labels: []string{"question"}},
		{title: "Support for int axis is broken"},
	}
	for _, c := range cases {
		r := handmade(c.title, c.prose, "")
		r.Labels = c.labels
		rd := newReading(r, Options{})
		if got := notABug(rd, readClaims(rd)); (got != nil) != c.want {
			t.Errorf("%q: %+v, want no bug %v", c.title, got, c.want)
		}
	}
	failed := handmade("How to read this output?", "", "")
	failed.Tracebacks = []report.Traceback{{Block: -1}}
	rd := newReading(failed, Options{})
	if got := notABug(rd, readClaims(rd)); got != nil {
		t.Errorf("a report with a traceback is taken for a question: %+v", got)
	}
}

func TestUsedDevice(t *testing.T) {
	for text, want := range map[string]string{
		"jax: 0.6.0\ndevice info: NVIDIA GeForce RTX 4090-1, 1 local devices\"\nprocess_count: 1":  "NVIDIA GeForce RTX 4090-1",
		"device info: cpu-1, 1 local devices\"":                                                    "",
		"device info: TPU v4-8, 4 local devices":                                                   "TPU v4-8",
		"jax:    0.4.31\njax.devices (16 total, 8 local): [CudaDevice(id=0) CudaDevice(id=1) ...]": "CudaDevice",
		"jax.devices (1 total, 1 local): [CpuDevice(id=0)]":                                        "",
		"no list at all":              "",
		"the device info: is missing": "",
	} {
		if got := usedDevice(&report.Report{Text: text}); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
