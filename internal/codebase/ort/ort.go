// Package ort runs ONNX models through the onnxruntime library, which is
// loaded when it is first needed: the program is built and works without it.
package ort

import (
	"errors"
	"os"
	"strings"
	"sync"

	onnxruntime "github.com/yalue/onnxruntime_go"
)

// ErrNoRuntime says that no usable onnxruntime library is there: search goes
// on without it. errors.Is finds it in a *NoRuntimeError, which says what was
// tried and what to do.
var ErrNoRuntime = errors.New("no onnxruntime library")

// NoRuntimeError is ErrNoRuntime with the reasons.
type NoRuntimeError struct {
	Tried []string // each place, with what was wrong there
	Next  string   // what a user can do
}

func (e *NoRuntimeError) Error() string {
	return ErrNoRuntime.Error() + ": " + strings.Join(e.Tried, "; ")
}

// Is makes errors.Is(err, ErrNoRuntime) true.
func (e *NoRuntimeError) Is(target error) bool { return target == ErrNoRuntime }

// next is what helps when there is no runtime. The version is that of the
// interface that the wrapper asks the library for.
const next = "repgen models pull onnxruntime, or set " + Variable + " to a libonnxruntime of version 1.24 or newer"

// environment is the library, once for the process: it keeps threads and global
// state of its own, and is never unloaded.
var environment struct {
	sync.Mutex
	library string // the one that is loaded
}

// Load loads a library and checks that it is an onnxruntime that can be used.
// It is loaded once for the process: a later call with another path is answered
// by the one that is there. Safe for concurrent use.
func Load(library string) error {
	environment.Lock()
	defer environment.Unlock()
	if environment.library != "" {
		return nil
	}
	if library == "" {
		return &NoRuntimeError{Tried: []string{"no library is named"}, Next: next}
	}
	if info, err := os.Stat(library); err != nil || !info.Mode().IsRegular() {
		return &NoRuntimeError{Tried: []string{library + ": no such file"}, Next: next}
	}
	if err := whole(library); err != nil {
		return &NoRuntimeError{Tried: []string{library + ": " + err.Error()}, Next: next}
	}
	onnxruntime.SetSharedLibraryPath(library)
	if err := onnxruntime.InitializeEnvironment(onnxruntime.WithLogLevelFatal()); err != nil {
		why := plain(err).Error()
		if strings.Contains(why, "ORT API base") {
			why = "it is older than what is needed here"
		}
		return &NoRuntimeError{Tried: []string{library + ": " + why}, Next: next}
	}
	environment.library = library
	return nil
}

// Loaded is the library in use and its version; "" before Load.
func Loaded() (library, version string) {
	environment.Lock()
	defer environment.Unlock()
	if environment.library == "" {
		return "", ""
	}
	return environment.library, onnxruntime.GetVersion()
}

// plain shortens the library's errors to one line.
func plain(err error) error {
	line, _, _ := strings.Cut(err.Error(), "\n")
	const most = 400 // a guess: the reason stands in front, a path of the build behind
	if len(line) > most {
		line = line[:most] + "..."
	}
	return errors.New(line)
}
