package triage

import (
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// hardware is what a report says of accelerators.
type hardware struct {
	needs  []Reason // the symptom itself is about one
	points int      // sum of the signs; from needed on it cannot be lowered
	lower  bool     // the script asks for one, and CPU may show the symptom too
	// cannot says why a CPU shows nothing of it: of the first sign that is
	// enough by itself.
	cannot string
}

// needed is the sum of signs from which on the symptom is the accelerator's.
// One call or one phrase is not enough: scripts call synchronize to measure
// time, and reports say "on GPU" to say where it was seen. A guess, right on
// the measured reports.
const needed = 2

var (
	// softCuda are calls that lose nothing when there is no device.
	softCuda = lazyre.New(`^torch\.cuda\.(is_available|device_count|manual_seed(_all)?|empty_cache|set_device|get_device_name|current_device|is_bf16_supported|device|init|get_device_capability)$`)
	// timing are calls that order or measure work; alone they are no symptom.
	timing   = lazyre.New(`^torch\.cuda\.(synchronize|Event|max_memory_allocated|memory_allocated|reset_peak_memory_stats|amp\.\w+|nvtx\.\w+)$|^torch\.mps\.synchronize$`)
	hardCuda = lazyre.New(`^(torch\.(cuda|mps|xpu|xla)\.\w+|torch_xla\.\w+|jax\.experimental\.pallas\.(gpu|tpu)\.\w+|cupy\.\w+|numba\.cuda\.\w+|pycuda\.\w+|triton\.\w+|torch\.backends\.(cuda|cudnn|mps)\.\w+)`)
	// onlyAccelerator are modules that do nothing without a device.
	onlyAccelerator = setOf("transformer_engine", "flash_attn", "apex", "cupy", "cudf", "cuml", "cugraph",
		"triton", "tensorrt", "torch_tensorrt", "pycuda", "torch_xla", "deepspeed", "xformers", "bitsandbytes",
		"flashinfer", "vllm", "tilelang", "nvidia", "pynvml", "dali")
	// namedAccelerator are phrases for hardware that no CPU stands in for.
	namedAccelerator = lazyre.New(`(?i)\b(transformer[ -]?engine|cuda[ -]?graphs?|cudagraphs?|nccl|nvlink|rccl|tensor[ -]?rt|fp8|float8 (training|gemm|matmul)|flash[ -]?attention|tensor[ -]?cores?|triton kernels?|multi[- ]?gpus?|(two|2|4|8|several|multiple) gpus|(multiple|several|more than (one|1)) gpu|fsdp|tpu (pods?|v\d\S*)|cuda kernels?|cuda streams?)\b|[>\x{2265}]=? ?[12] gpus?\b`)
	onDevice         = lazyre.New(`(?i)\b(on|with|using) (the |an? |my )?(gpus?|cuda|mps|tpus?|apple silicon|m[1-4]( (pro|max|ultra))?( gpu)?|rocm|xpu)\b( (device|backend))?|\b(mps|cuda|gpu|rocm|xla|tpu)[ -](only|backend|device)\b`)
	onlyThere        = lazyre.New(`(?i)\b(only (happens |fails |occurs |breaks |wrong )?(on|with) (the |an? )?(gpus?|cuda|mps|tpus?)|(works?|fine|ok|okay|correct|no (error|problem|issue)s?|not reproducible|as expected|right)( \w+){0,3} on (the )?cpu|on (the )?cpu( \w+){0,4} (works?|fine|ok|okay|correct|right)|(gpu|cuda|mps|tpu) (and|vs\.?|versus|or) (the )?cpu|cpu (and|vs\.?|versus) (the )?(gpu|cuda|mps|tpu)|differs? between (cpu|gpu|cuda))\b`)
	// aside are mentions that deny a need.
	aside     = lazyre.New(`(?i)(\b(no|without( an?)?|not? (need|using|on)( an?)?|never( an?)?|independent of( the)?|cpu[ -]only|also (happens |fails |seen )?(on|with)( an?| the)?|(same|both|neither|either)( \w+){0,3} (on|with)( an?| the)?( cpu (and|or|nor)( the)?)?) (a |the )?(gpus?|cuda|mps|tpus?|accelerator)( pods?)?( involved| needed| required)?\b|\(also [^)]*\)|\bcpu[ -]only\b|\bcuda available: false\b)`)
	deviceLog = lazyre.New(`(CUDA error|CUDA out of memory|CUBLAS_STATUS|CUDNN_STATUS|cuDNN error|NCCL (error|WARN)|ncclInternalError|device-side assert|illegal memory access|found at least two devices|cuda:\d and cpu|different from other tensors on (?:cuda|mps|xpu)|wrapper_(?:CUDA|MPS|XPU)_|torch\.cuda\.OutOfMemoryError|OutOfMemoryError: CUDA|MPSNDArray|MPS backend out of memory|cudaError|HIP error|XLA:GPU|nvrtc|PTXAS|ptxas)`)
	// launcher starts several processes; several says how many.
	launcher   = lazyre.New(`\b(torchrun|torch\.distributed\.(launch|run)|mpirun|accelerate launch|deepspeed|horovodrun|srun)\b[^\n]*`)
	several    = lazyre.New(`(--(nproc[-_]per[-_]node|num_processes|num_gpus|nnodes)[= ]+([2-9]|\d\d|gpu|auto)|-np? ([2-9]|\d\d))`)
	device     = lazyre.New(`["'](cuda|mps|xpu|xla|hpu)(:\d+)?["']|["'](gpu|GPU)["']|["']/(device:)?(GPU|gpu):\d+["']|\.(cuda|mps|xpu)\(`)
	lowerGuard = lazyre.New(`\bis_available\(\)`)
)

// readHardware adds up what speaks for an accelerator.
func readHardware(rd *reading) hardware {
	var h hardware
	add := func(points int, text, cannot string, span *report.Span) {
		h.points += points
		h.needs = append(h.needs, Reason{Text: text, Span: span})
		if h.cannot == "" || points >= needed && h.points-points < needed {
			h.cannot = cannot
		}
	}
	h.fromCode(rd, add)
	h.fromWords(rd, add)
	h.fromLogs(rd, add)
	return h
}

func (h *hardware) fromCode(rd *reading, add func(int, string, string, *report.Span)) {
	f := rd.script.file
	h.lower = device.MatchString(rd.script.source) && !lowerGuard.MatchString(rd.script.source)
	span := rd.scriptSpan()
	for _, m := range f.TopModules() {
		if onlyAccelerator[m] {
			add(needed, "the script imports "+m+", which needs an accelerator", m+" has no part that runs on a CPU", span)
		}
	}
	seen := map[string]bool{}
	for _, c := range f.Calls {
		name := firstOf(c.Full, c.Func)
		if seen[name] || softCuda.MatchString(name) {
			continue
		}
		seen[name] = true
		switch {
		case timing.MatchString(name):
			add(1, "the script calls "+name, "what it measures is the device's", span)
		case hardCuda.MatchString(name):
			add(needed, "the script calls "+name, "the call exists for the device only", span)
		case oneOfSeveral(c):
			add(needed, "the script is one of several processes ("+name+")", "the others are missing: one process waits for them, whatever it runs on", span)
		case spreads(c):
			add(needed, "the script asks for several devices ("+name+")", "one process cannot stand for several devices", span)
		}
	}
}

var (
	manyDevices = lazyre.New(`^([2-9]|\d\d|\[\s*\d+\s*,.*\])$`)
	wrapper     = lazyre.New(`(^|\.)(DataParallel|DistributedDataParallel|FullyShardedDataParallel|MirroredStrategy|MultiWorkerMirroredStrategy|TPUStrategy)$`)
)

var (
	joins      = lazyre.New(`(^|\.)(distributed\.initialize|init_process_group)$`)
	fixedPlace = lazyre.New(`^\d+$`)
)

// oneOfSeveral: the call joins a group of a fixed size at a fixed place, as a
// script does that is started once on each host. One that starts its group
// itself gives the place as a variable.
func oneOfSeveral(c pysyntax.Call) bool {
	size := firstOf(c.Keywords["num_processes"], c.Keywords["world_size"])
	place := firstOf(c.Keywords["process_id"], c.Keywords["rank"])
	return joins.MatchString(firstOf(c.Full, c.Func)) && manyDevices.MatchString(size) && fixedPlace.MatchString(place)
}

// spreads: the call asks for more than one device. Processes that talk over
// gloo run on a CPU and do not count.
func spreads(c pysyntax.Call) bool {
	if wrapper.MatchString(c.Func) {
		return true
	}
	onCPU := strings.Contains(c.Keywords["accelerator"], "cpu")
	return !onCPU && (manyDevices.MatchString(c.Keywords["devices"]) || manyDevices.MatchString(c.Keywords["gpus"]) ||
		strings.Contains(c.Keywords["backend"], "nccl"))
}

// fromWords reads title and prose, mentions that deny a need taken out first.
func (h *hardware) fromWords(rd *reading, add func(int, string, string, *report.Span)) {
	prose := []byte(rd.prose)
	for _, m := range aside.FindAllIndex(prose, -1) {
		blank(prose, m[0], m[1])
	}
	text := string(prose)
	title := ""
	if s := rd.r.TitleSpan; s.Within(text) {
		title = text[s.Start:s.End]
	}
	if title == "" {
		title = aside.ReplaceAllString(rd.r.Title, " ")
	}
	if m := namedAccelerator.FindStringIndex(text); m != nil {
		points := 1
		if namedAccelerator.MatchString(title) {
			points = needed
		}
		add(points, "the report is about hardware: "+quote(text, &report.Span{Start: m[0], End: m[1]}), "what it names does nothing without the device", &report.Span{Start: m[0], End: m[1]})
	} else if namedAccelerator.MatchString(title) {
		add(needed, "the title is about hardware", "what it names does nothing without the device", nil)
	}
	if m := deviceLog.FindString(title); m != "" {
		add(needed, "the title is a failure of the device: "+m, "the failure is the device's own", &rd.r.TitleSpan)
	}
	if onDevice.MatchString(title) {
		add(1, "the title says on which device", "the symptom is said to be the device's", &rd.r.TitleSpan)
	} else if h.lower {
		if m := onDevice.FindStringIndex(text); m != nil {
			add(1, "the prose says on which device", "the symptom is said to be the device's", &report.Span{Start: m[0], End: m[1]})
		}
	}
	if m := onlyThere.FindStringIndex(text); m != nil {
		add(needed, "the symptom is said to come on the accelerator and not on the CPU", "the report says that the CPU does not show it", &report.Span{Start: m[0], End: m[1]})
	}
}

func (h *hardware) fromLogs(rd *reading, add func(int, string, string, *report.Span)) {
	for _, b := range rd.r.Blocks {
		switch b.Kind {
		case report.BlockOutput, report.BlockTraceback, report.BlockREPL, report.BlockOther:
			if m := deviceLog.FindString(b.Text); m != "" {
				s := b.Span
				add(needed, "the log shows a failure of the device: "+m, "the failure is the device's own", &s)
				return
			}
		case report.BlockShell:
			if l := launcher.FindString(b.Text); l != "" && several.MatchString(l) {
				s := b.Span
				add(needed, "started on several devices: "+shorten(l, 80), "one process cannot stand for several devices", &s)
				return
			}
		}
	}
}

// usedDevices is the line in which jax prints the devices that it uses; other
// libraries list what the machine has, which says little of the script.
var usedDevices = lazyre.New(`(?im)^\s*(?:device info:|jax\.devices \(\d+ total, \d+ local\):\s*\[)\s*(\S[^\n]{0,80})`)

// usedDevice is the accelerator that the report's list of versions shows in use.
func usedDevice(r *report.Report) string {
	m := usedDevices.FindStringSubmatch(r.Text)
	if m == nil || strings.HasPrefix(strings.ToLower(m[1]), "cpu") {
		return ""
	}
	name, _, _ := strings.Cut(m[1], ",")
	name, _, _ = strings.Cut(name, "(id=")
	return strings.Trim(strings.TrimSpace(name), `"'`)
}

// scriptSpan is where the script begins in the report.
func (rd *reading) scriptSpan() *report.Span {
	if rd.script.none() {
		return nil
	}
	s := rd.r.Blocks[rd.script.blocks[0]].Span
	return &s
}
