package environment

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/report"
)

// condaOnly are packages of conda's lists that are parts of a system, not
// Python distributions: an index has nothing of that name, or something else
// (there is an unrelated "readline" and "sqlite"). Source: the names that
// conda-forge's and the default channel's lists of a fresh deep-learning
// environment hold and that have no Python module; read from the environments
// that reports paste.
var condaOnly = []string{
	"blas", "bzip2", "c-ares", "ca-certificates", "cairo", "cuda", "cuda-cudart", "cuda-cupti", "cuda-libraries",
	"cuda-nvrtc", "cuda-nvtx", "cuda-runtime", "cudatoolkit", "cudnn", "curl", "dbus", "expat", "ffmpeg", "fontconfig",
	"freetype", "gcc-impl-linux-64", "gettext", "giflib", "glib", "gmp", "gnutls", "gperftools", "graphite2", "gst-plugins-base",
	"gstreamer", "harfbuzz", "hdf5", "icu", "intel-openmp", "jpeg", "krb5", "lame", "lcms2", "ld-impl-linux-64", "lerc",
	"libblas", "libcblas", "libcublas", "libcufft", "libcurand", "libcurl", "libcusolver", "libcusparse", "libdeflate",
	"libedit", "libev", "libfaiss", "libffi", "libgcc-ng", "libgfortran-ng", "libgfortran5", "libgomp", "libiconv",
	"libidn2", "liblapack", "libnghttp2", "libnpp", "libnsl", "libnvjpeg", "libopenblas", "libpng", "libpq",
	"libprotobuf", "libsodium", "libsqlite", "libssh2", "libstdcxx-ng", "libtasn1", "libtiff", "libunistring", "libuuid",
	"libuv", "libwebp", "libwebp-base", "libxcb", "libxml2", "libzlib", "llvm-openmp", "lz4-c", "magma-cuda117", "mkl",
	"mkl-service", "mkl-fft", "mkl-random", "nccl", "ncurses", "nettle", "ninja-base", "numpy-base", "openblas", "openh264", "openjpeg",
	"graphviz", "openssl", "pcre", "pixman", "pthread-stubs", "python-abi", "pytorch-cuda", "pytorch-mutex", "qt", "qt-main", "readline",
	"snappy", "sqlite", "tk", "vc", "vs2015-runtime", "xorg-libxau", "xorg-libxdmcp", "xz", "zeromq", "zlib", "zstd",
	"binutils-impl-linux-64", "libxgboost", "gpl", "tbb", "x264", "yaml",
}

// condaNames are Python packages that conda's channels call otherwise than the
// index. Source: the recipes' own upstream addresses; the "-base" and "-core"
// ones are splits of one distribution.
var condaNames = map[string]string{
	"dask-core": "dask", "faiss": "faiss-cpu", "matplotlib-base": "matplotlib", "msgpack-python": "msgpack", "opencv": "opencv-python", "py-opencv": "opencv-python",
	"libopencv": "opencv-python", "py-xgboost": "xgboost", "pyqt": "pyqt5", "pytables": "tables", "python-graphviz": "graphviz",
	"pytorch-cpu": "torch", "pytorch-gpu": "torch", "pytorch-geometric": "torch-geometric", "pyg": "torch-geometric",
	"seaborn-base": "seaborn", "tensorflow-base": "tensorflow", "tensorflow-mkl": "tensorflow", "tensorflow-eigen": "tensorflow",
	"torchvision-cpu": "torchvision", "python-lmdb": "lmdb", "python-flatbuffers": "flatbuffers",
	"pysoundfile": "soundfile", "pymc-base": "pymc",
}

// distName is the normalised form of a name that an index can have. Anything
// else in a list (conda's "_libgcc_mutex") would be an option to an installer.
var distName = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$`)

// skippedLines collects the lines of a list that are not installed, by reason: a
// freeze may have dozens of a kind, and one sentence for each reason is read.
type skippedLines struct {
	reasons []string
	names   map[string][]string
}

func (l *skippedLines) add(reason, name string) {
	if l.names == nil {
		l.names = map[string][]string{}
	}
	if l.names[reason] == nil {
		l.reasons = append(l.reasons, reason)
	}
	if !slices.Contains(l.names[reason], name) {
		l.names[reason] = append(l.names[reason], name)
	}
}

// shownNames is how many names of one reason are written out.
const shownNames = 8

func (l *skippedLines) edits() []string {
	var out []string
	for _, reason := range l.reasons {
		names := l.names[reason]
		text := strings.Join(names[:min(len(names), shownNames)], ", ")
		if n := len(names) - shownNames; n > 0 {
			text += fmt.Sprintf(" and %d more", n)
		}
		out = append(out, text+": "+reason)
	}
	return out
}

const (
	reasonConda = "a part of the system that conda installs, left out"
	reasonName  = "no name that an index can have, left out"
	reasonFile  = "a file of the reporter's machine without a version; taken as of the date if something needs it"
	reasonGit   = "a git revision that is no release; the release as of the date is taken if something needs it"
	reasonLocal = "from a private place, left out; a release as of the date is taken if something needs it"
)

var (
	commitForm = regexp.MustCompile(`^[0-9a-f]{7,40}$`)
	gitForm    = regexp.MustCompile(`git\+|\.git\b|^(?:git|ssh)[:@]`)
	fileForm   = regexp.MustCompile(`\bfile:|^/|^[A-Za-z]:[\\/]`)
)

// fromList makes of one line of a list what an index can have: a git tag and
// the version in a wheel's file name are releases, everything else from a
// private place has only its name. False leaves the line out, with its reason.
func (w *inference) fromList(v report.Version, out *skippedLines) (report.Version, bool) {
	switch {
	case !distName.MatchString(v.Dist):
		out.add(reasonName, clip(v.Name, 40))
		return v, false
	case v.Where == "conda" && slices.Contains(condaOnly, v.Dist):
		out.add(reasonConda, v.Dist)
		return v, false
	case v.Where == "conda" && condaNames[v.Dist] != "":
		v.Dist = condaNames[v.Dist]
		return v, true
	case !v.Local:
		return v, true
	}
	text := w.textOf(v)
	git := gitForm.MatchString(text)
	switch {
	case v.Kind == report.VersionExact && usable(v) && git:
		w.edit("%s: git tag %s taken as the release of that version", v.Dist, clip(v.Spec, 40))
	case v.Kind == report.VersionExact && usable(v):
		w.edit("%s: a file of version %s taken as the release of that version", v.Dist, clip(v.Spec, 40))
	case git && commitForm.MatchString(v.Spec):
		out.add(reasonGit, fmt.Sprintf("%s at %.7s", v.Dist, v.Spec))
		return v, false
	case git && v.Spec != "":
		out.add(reasonGit, v.Dist+" at "+clip(v.Spec, 40))
		return v, false
	case git:
		out.add(reasonGit, v.Dist)
		return v, false
	case fileForm.MatchString(text):
		out.add(reasonFile, v.Dist)
		return v, false
	default:
		out.add(reasonLocal, v.Dist)
		return v, false
	}
	v.Local = false
	return v, true
}

// textOf is what the reporter wrote where a version was read, and the rest of
// its line, where a conda list has the build.
func (w *inference) textOf(v report.Version) string {
	text := w.in.Report.Text
	if !v.Span.Within(text) || v.Span.Start == v.Span.End {
		return ""
	}
	line := text[v.Span.Start:]
	if i := strings.IndexByte(line, '\n'); i >= 0 && v.Span.Start+i >= v.Span.End {
		line = line[:i]
	} else if i < 0 {
		return line
	} else {
		line = line[:v.Span.End-v.Span.Start]
	}
	return line
}
