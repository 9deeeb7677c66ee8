package environment

import (
	"time"
)

// Word says whose word a requirement is.
type Word string

const (
	WordFlag       Word = "flag"       // the user's --with, --python, ...
	WordReporter   Word = "reporter"   // stated in the report
	WordImport     Word = "import"     // imported by the script, newest as of the date
	WordSubject    Word = "subject"    // a control moved it
	WordUndeclared Word = "undeclared" // an import failed without it
	WordRelaxed    Word = "relaxed"    // the ladder loosened it
	WordResolver   Word = "resolver"   // came with the others
	WordSweep      Word = "sweep"      // a forward sweep over an unpinned package
	WordProject    Word = "project"    // built from the user's own project
)

// Requirement is one wanted distribution.
type Requirement struct {
	Name string `json:"name"` // normalised
	Spec string `json:"spec"` // "==0.6.2", "==2.15.*", "" for newest as of the date
	Word Word   `json:"word"`
	Why  string `json:"why,omitempty"`
	// Extras such as "cpu".
	Extras []string `json:"extras,omitempty"`
}

// Spec is what an environment should hold. Requirements are installed;
// Constraints only bind a version when something needs the package (a pip
// freeze of two hundred lines is constraints, not requirements).
type Spec struct {
	Python       string        `json:"python"`        // "3.11"; "" lets the solver choose
	PythonSource string        `json:"python_source"` // "flag", "report", "wheels"
	Requirements []Requirement `json:"requirements"`
	Constraints  []Requirement `json:"constraints,omitempty"`
	Imports      []string      `json:"imports"`      // for the certificate
	AsOf         time.Time     `json:"as_of"`        // a full UTC instant
	AsOfSource   string        `json:"as_of_source"` // "flag", "report", "release NAME VERSION + 7 days", "now"
	Subject      string        `json:"subject"`
	// Edits are what was done to the reporter's words (variants, dropped
	// lines, import names mapped), each with its reason.
	Edits []string          `json:"edits,omitempty"`
	Env   map[string]string `json:"env,omitempty"`
	// CUDA says how much of its packages is wanted although nothing here has a
	// GPU: "" leaves them out, "triton" keeps that compiler, "all" keeps all.
	CUDA string `json:"cuda,omitempty"`
	// Project is where the subject comes from when it is not the index.
	Project *ProjectSource `json:"project,omitempty"`
}

// Package is one locked distribution.
type Package struct {
	Name    string   `json:"name"`
	Version string   `json:"version"`
	Hashes  []string `json:"hashes,omitempty"`
	Sdist   bool     `json:"sdist,omitempty"` // built from source, in the sandbox
	// Repaired: its wheel's metadata had lines that no resolver reads.
	Repaired bool `json:"repaired,omitempty"`
	// Wheel is the file name of a wheel that was built from a project; it lies
	// in the store (or in a bundle) under the one hash in Hashes.
	Wheel string `json:"wheel,omitempty"`
	// Built is the hash of the wheel that was made here of a source package, or by
	// a repair, and BuiltAsOf the day of the build requirements ("2021-03-04", the
	// end of it in UTC). The same source gives other wheels on other days.
	Built     string `json:"built,omitempty"`
	BuiltAsOf string `json:"built_as_of,omitempty"`
	Word      Word   `json:"word"`
	Why       string `json:"why,omitempty"`
}

// made says that the package's wheel is not one of the index's.
func (p Package) made() bool { return p.Sdist || p.Repaired }

// Rung is one step of the ladder that was tried.
type Rung struct {
	Number int    `json:"number"` // 1 ..
	Name   string `json:"name"`   // "exact pins as of the date", ...
	Result string `json:"result"` // "solved", or the class of the failure
	Detail string `json:"detail,omitempty"`
}

// Lock is a solved environment.
type Lock struct {
	Python   string    `json:"python"` // full version of the interpreter, "3.11.7"
	Packages []Package `json:"packages"`
	AsOf     time.Time `json:"as_of"`
	Rung     int       `json:"rung"`
	Rungs    []Rung    `json:"rungs"`
	// Index says who named the index it was solved from, "" for the usual one
	// (uv.Index.Shown).
	Index string `json:"index,omitempty"`
	// Text is the requirements text with hashes and no URL.
	Text string `json:"text"`
	// Hash is the sha256 over interpreter, text and builder version: the key
	// of the environment in the cache.
	Hash string `json:"hash"`
	// Requirements and Constraints are those in force when it was solved: the
	// Spec's after the ladder's repairs.
	Requirements []Requirement `json:"requirements,omitempty"`
	Constraints  []Requirement `json:"constraints,omitempty"`
	// Env are the variables of the Spec, for who runs something in it.
	Env map[string]string `json:"env,omitempty"`
	// Exempt are distributions that the date does not bind, because the index
	// holds them under a later upload time than their release.
	Exempt []string `json:"exempt,omitempty"`
	// LeftOut are those of Packages that are not installed where this lock is
	// built, since only a GPU needs them: stub libraries stand in for them. Text
	// holds them all the same, so that it makes a working environment anywhere.
	LeftOut []string `json:"left_out,omitempty"`
	// StandIns are the names of packages whose asked-for version could not be
	// had; Edits say what stands in for what.
	StandIns []string `json:"stand_ins,omitempty"`
	Edits    []string `json:"edits,omitempty"`
	// Changes are the ladder's repairs, each with the pin that it changed.
	Changes []Change `json:"changes,omitempty"`
	// Asked are the distributions whose asked-for version is not the one in
	// Packages.
	Asked []Asked `json:"asked,omitempty"`
}

// Version returns the locked version of a distribution, "" if absent.
func (l *Lock) Version(name string) string {
	for _, p := range l.Packages {
		if p.Name == name {
			return p.Version
		}
	}
	return ""
}

// Unavailable is the domain outcome "this environment cannot be had here".
type Unavailable struct {
	Why   string `json:"why"`
	Next  string `json:"next,omitempty"`
	Rungs []Rung `json:"rungs"`
}

// Release is one release of a distribution as the index lists it.
type Release struct {
	Version  string    `json:"version"`
	Uploaded time.Time `json:"uploaded"` // earliest file
	Yanked   string    `json:"yanked,omitempty"`
	// Pre is true for pre- and development releases.
	Pre bool `json:"pre,omitempty"`
	// Wheel: a wheel usable on this platform for the asked Python; Sdist: a
	// source package. Neither: not installable there.
	Wheel bool `json:"wheel"`
	Sdist bool `json:"sdist"`
}

// Move is one package that differs between two locks.
type Move struct {
	Name string `json:"name"`
	From string `json:"from,omitempty"` // "" : added
	To   string `json:"to,omitempty"`   // "" : removed
}
