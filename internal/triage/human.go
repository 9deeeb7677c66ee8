package triage

import (
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// harness is one kind of trouble that lies around a library, not in it: a
// single script in a fresh environment cannot show it.
//
// The cues are of two strengths: a title says what a report is about, and the
// log of an installer or a launcher shows it; the same word in the prose only
// says where somebody works ("in a docker container").
type harness struct {
	kind, words string
	// cue is read in the title and in the prose; log in outputs and commands.
	cue, log *lazyre.Regexp
}

// harnesses were collected from reading public trackers; each cue is a phrase
// that hardly any report of a library's own fault uses in its title.
var harnesses = []harness{
	{
		kind: "ci", words: "a test or job of continuous integration",
		cue: lazyre.New(`\bCI\b|(?i:\b(?:continuous integration|github actions?|jenkins|azure pipelines?|travis|circle ?ci|buildkite|readthedocs|nightly (?:build|job|wheel)s?|test (?:suite|job)s? (?:fails?|times? out)|flaky (?:unit )?tests?|pre-commit)\b)|\bDISABLED test_`),
		log: lazyre.New(`##\[error\]|Process completed with exit code \d+|\bactions/checkout@|The job running on runner`),
	},
	{
		kind: "install", words: "an installation or a build from source",
		cue: lazyre.New(`(?i)\b(?:(?:pip|pip3|conda|mamba|poetry|uv|pdm) (?:install|add|sync|lock)|install(?:ation|ing)?\b[^.\n]{0,30}\b(?:fail\w*|error\w*|problem|broken|not work\w*|stuck)|(?:fail\w*|error\w*|cannot|can't|unable|problem)\b[^.\n]{0,30}\binstall\w*|(?:build|built|compil\w+|install\w*) (?:\w+ )?from source|build(?:ing)? (?:the )?(?:wheels?|error|fails)|failed (?:building|to build)|no matching distribution|cmake|setup\.py|bazel build|ninja)\b`),
		log: lazyre.New(`(?m)^\s*(?:ERROR: (?:Failed building wheel|Could not (?:build|find a version)|No matching distribution|Failed to build)|error: (?:subprocess-exited-with-error|legacy-install-failure|command '.*(?:gcc|g\+\+|nvcc|cl\.exe))|CMake Error|ninja: build stopped|ResolutionImpossible|Because .* depends on .* and .* depends on)`),
	},
	{
		kind: "container", words: "a container image or a cluster",
		cue: lazyre.New(`(?i)\b(?:docker(?:file| image| container| build| compose)?|podman|singularity|apptainer|kubernetes|k8s|helm chart|kubeflow|dev ?container)\b`),
		log: lazyre.New(`returned a non-zero code: \d+|(?m)^(?:FROM \S+$|Step \d+/\d+ : |=> ERROR \[)|CrashLoopBackOff`),
	},
	{
		kind: "launch", words: "a launch over several processes or hosts",
		cue: lazyre.New(`(?i)\b(?:torchrun|torch\.distributed\.(?:launch|run)|deepspeed|horovod(?:run)?|mpirun|slurm|srun|sbatch|multi[- ]?node|accelerate launch|elastic (?:launch|agent)|ray cluster|rendezvous)\b`),
		log: lazyre.New(`ChildFailedError|elastic_launch|\[rank\d+\]:`),
	},
	{
		kind: "notebook", words: "a notebook service",
		cue: lazyre.New(`(?i)\b(?:colab|kaggle|sagemaker|databricks|jupyter ?hub|binder|paperspace|studio lab)\b`),
		log: lazyre.New(`You must restart the runtime in order to use newly installed versions`),
	},
	{
		kind: "packaging", words: "how the package is published",
		cue: lazyre.New(`(?i)\b(?:sdist|wheels? (?:is|are|for|on|missing|not)|missing wheels?|conda-forge|(?:pypi|package) (?:release|upload|metadata)|license file|py\.typed|packaging|yanked|source distribution|not on pypi)\b`),
		log: lazyre.New(`(?m)^\s*warning: (?:no files found matching|check: missing)`),
	},
}

// enoughHarness is the sum of signs that makes a report one of the harness: the
// title alone says it, and so does a log together with the prose; a word in the
// prose alone only says where somebody works. A guess, right on the corpus.
const enoughHarness = 2

// endsHuman: harness or plumbing, and no complete script that could show it.
func endsHuman(rd *reading, d *Decision, _ hardware) bool {
	if rd.opts.Script || rd.script.complete() && !onlyVersions(rd.script.file) {
		return false
	}
	if notABug(rd, readClaims(rd)) != nil {
		return false
	}
	// First match wins; the kinds are in the order in which one contains the
	// other (a CI job builds a container that installs a package).
	for _, h := range harnesses {
		points, span := h.signs(rd)
		if points < enoughHarness || points == enoughHarness && !failsAnywhere(rd) {
			continue
		}
		d.Route = HumanFirst
		rd.why = h.kind
		d.Reasons = append(d.Reasons,
			Reason{Text: "it is about " + h.words + ": " + quote(rd.r.Text, span), Span: span},
			Reason{Text: "a single script in a fresh environment cannot show that, and automatic reproduction of such reports hardly ever succeeds: somebody with the same set-up should look first"})
		return true
	}
	return false
}

// failsAnywhere: the report says or shows that something failed.
func failsAnywhere(rd *reading) bool {
	return len(rd.talk) > 0 || len(rd.r.Tracebacks) > 0 || failing.MatchString(rd.r.Title) || failing.MatchString(rd.prose)
}

// signs adds up what speaks for one kind, with the words of the strongest sign.
func (h harness) signs(rd *reading) (points int, span *report.Span) {
	if s := rd.r.TitleSpan; h.cue.MatchString(rd.r.Title) {
		points, span = enoughHarness, &s
		return points, span
	}
	if m := rd.find(h.cue); m != nil && !hasException(rd) {
		points, span = 1, m
	}
	for i := range rd.r.Blocks {
		b := &rd.r.Blocks[i]
		if b.Kind == report.BlockPython || b.Kind == report.BlockVersions {
			continue
		}
		if m := h.log.FindStringIndex(b.Text); m != nil {
			s := b.Span
			return points + enoughHarness, &s
		}
		// What was typed says less than what came of it, and nothing beside an
		// exception of Python's own: that one may well be a library's.
		if m := h.cue.FindStringIndex(b.Text); m != nil && b.Kind == report.BlockShell && !hasException(rd) {
			s := b.Span
			points, span = points+1, &s
		}
	}
	return points, span
}
