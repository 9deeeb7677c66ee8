package oracle

import (
	"maps"
	"slices"

	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// FaultIsolation: Detail is what the isolation withholds ("the network"). The
// failure is our own doing and says nothing about the subject.
const FaultIsolation = "isolation"

// withheld are failures that any script can have inside the sandbox whatever
// the subject does. The words are those of the C library, of CPython and of the
// usual clients (requests, urllib3, huggingface_hub), as seen in runs.
var withheld = []struct {
	what string
	// ours: nothing but the isolation explains it, so that a script which
	// fails so has not failed, it could not run.
	ours bool
	re   *lazyre.Regexp
}{
	{"the network", true, lazyre.New(`(?i)name resolution|Name or service not known|nodename nor servname|Network is unreachable|Max retries exceeded|Failed to establish a new connection|getaddrinfo failed|offline mode|cannot find the requested files in the (?:local|disk) cache|couldn't connect to`)},
	{"the network", false, lazyre.New(`(?i)Connection (?:refused|reset|aborted|timed out)|Errno 11[01]\]`)},
	{"threads and processes without limit", true, lazyre.New(`(?i)can't start new thread|Resource temporarily unavailable|pthread_create failed`)},
	{"a writable root", true, lazyre.New(`(?i)Read-only file system`)},
	{"the disk", true, lazyre.New(`(?i)No space left on device|File too large`)},
	{"a terminal", true, lazyre.New(`(?i)Inappropriate ioctl for device|EOF when reading a line|cannot (?:open|connect to) display|no display name`)},
	{"memory without limit", false, lazyre.New(`(?i)Cannot allocate memory|Unable to allocate|std::bad_alloc|not enough memory`)},
	{"files of the reporter's machine", false, lazyre.New(`(?i)No such file or directory|Permission denied|Operation not permitted`)},
}

// classes whose message is often empty or the library's own.
var withheldClasses = map[string]string{
	"MemoryError": "memory without limit", "FileNotFoundError": "files of the reporter's machine",
	"PermissionError": "files of the reporter's machine", "EOFError": "a terminal",
	"gaierror": "the network", "ConnectionError": "the network", "URLError": "the network", "TimeoutError": "the network",
}

// isolationFault says what the isolation withheld if that alone may explain the
// failure, "" if it does not. ours is true when nothing else explains it. The
// causes are read too: libraries wrap what the system said.
func isolationFault(s symptom.Symptom) (what string, ours bool) {
	for _, c := range append([]symptom.Symptom{s}, s.Chain...) {
		for _, w := range withheld {
			if w.re.MatchString(c.Message+"\n"+c.FatalLine) && systemFailure(c, w.ours) {
				return w.what, w.ours
			}
		}
		for _, class := range slices.Sorted(maps.Keys(withheldClasses)) { // one error may be several
			if what == "" && c.IsA(class) {
				what = withheldClasses[class]
			}
		}
		if what == "" && acceleratorMissing.MatchString(c.Message) {
			what = "an accelerator"
		}
	}
	return what, false
}

// systemFailure: words in the message of any exception do when they can come
// from nowhere else, otherwise it must be an error of the system.
func systemFailure(s symptom.Symptom, plain bool) bool {
	return plain || s.IsA("OSError") || s.IsA("MemoryError") || s.IsA("RuntimeError")
}

// acceleratorMissing recognises a failure for want of a device, in the words of
// the frameworks and of the boosting libraries (a build without the device's
// part, or none that the driver shows).
var acceleratorMissing = lazyre.New(`(?i)not compiled with (?:CUDA|GPU)|No CUDA GPUs|NVIDIA driver|CUDA (?:driver|is not available)|no CUDA-capable device|no (?:visible |available |supported )?(?:GPUs?|TPUs?|OpenCL devices?) (?:is |are |was |were )?(?:found|available|detected|visible)|(?:GPU|CUDA) Tree Learner was not enabled|task type \[?GPU\]? not found|Unknown backend:? '?(?:gpu|cuda|tpu)|MPS (?:backend|device)`)
