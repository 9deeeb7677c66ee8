// Package cli is the command line: one file a subcommand, all wiring by hand
// in wire.go.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/repgen/repgen/internal/bench"
	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox/bwrap"
	"github.com/repgen/repgen/internal/system/inert"
)

// Exit codes. Those of a verdict are in proof.ExitCode; `verify` has its own.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitDifferent   = 4
	exitNothing     = 5 // nothing can be attempted
	exitTampered    = 6
	exitInterrupted = 130
)

const description = `Turn a deep-learning bug report into a script, the environment it ran in, and a verdict that anyone can re-run.

` + verdictCodes + verifyCodes + `bench: 0 no false claim, 4 a false claim, 1 it could not run or a case failed.
search: 0 found, 3 nothing found, 5 nothing to search; index: 0 done, 5 no Python; both: 1 failed, 130 interrupted.
models: 0 done, 4 a file is not what it should be, 5 nothing is here or can be had, 1 failed. triage, env, show, doctor, mcp, version: 0 done, 1 failed, 5 nothing can be attempted (triage, env). All: 2 usage error.`

const verdictCodes = `Exit codes of reproduce and judge:
  0    reproduced, fixed, regression (or flaky with grade A to C)
  1    failed: our own defect or the infrastructure (index down, disk full, no isolation)
  2    usage error
  3    not_reproduced
  4    lead, inconclusive, different_failure, exhausted, flaky with grade D
  5    needs_info, needs_model, needs_hardware, human_first, env_unavailable, not_a_bug, hostile
  130  interrupted
`

const verifyCodes = `verify: 0 same, 4 different, 6 tampered, 1 could not, 130 interrupted.
`

// Help stands below the flags of the command.
func (reproduceCmd) Help() string { return verdictCodes }

// Help stands below the flags of the command.
func (judgeCmd) Help() string { return verdictCodes }

// Help stands below the flags of the command.
func (verifyCmd) Help() string {
	return "Every side that the verdict rests on is run again, and named with its executions. What was not run is not \"same\".\nExit codes of " + verifyCodes
}

// app is the grammar of the command line.
type app struct {
	Reproduce reproduceCmd `cmd:"" help:"Reproduce a bug report: a file, - for standard input, a GitHub issue URL or owner/repo#N."`
	Judge     judgeCmd     `cmd:"" help:"Judge somebody else's script against a report, by the same code."`
	Verify    verifyCmd    `cmd:"" help:"Run a bundle again here and compare it field by field."`
	Env       envGroup     `cmd:"" help:"Only solve and build the environment of a report; explain: say why each version."`
	Triage    triageCmd    `cmd:"" help:"Only read a report and say what could be done with it."`
	Index     indexCmd     `cmd:"" help:"Index a project's source, so that searching it is quick."`
	Search    searchCmd    `cmd:"" help:"Find the code that a bug report is about: in a project, or in the subject's own source as installed in the report's environment."`
	Bench     benchGroup   `cmd:"" help:"Run a folder of cases with known answers and print the table of confusion; retrieval: measure the search."`
	Show      showCmd      `cmd:"" help:"Show a run folder again."`
	Models    modelsGroup  `cmd:"" help:"List, pull, verify and import the models and the runtime of the search."`
	MCP       mcpCmd       `cmd:"" name:"mcp" help:"Serve a coding agent: it writes scripts, repgen runs and judges them."`
	Doctor    doctorCmd    `cmd:"" help:"Say which isolation layers, interpreters, tools and index are usable here."`
	Version   versionCmd   `cmd:"" help:"Print the version."`

	PrintVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

// streams are what a command talks to.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
	// command is what was called, without its arguments: "models pull".
	command string
}

// named puts the command's name into the advice to read its help.
func (s streams) named(p proof.ResultError) proof.ResultError {
	if s.command != "" {
		p.Next = strings.ReplaceAll(p.Next, "repgen COMMAND --help", "repgen "+s.command+" --help")
	}
	return p
}

// words are a command's own words in kong's path of it ("models pull <name>").
func words(path string) string {
	own, _, _ := strings.Cut(path, " <")
	return own
}

// exit carries a code through an error return. Shown says that the user has
// been told already.
type exit struct{ code int }

func (e exit) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// Main runs the command line and returns the exit code.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	bwrap.Trampoline() // does not return when this process is the sandbox's init
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	o := &outlet{Writer: out}
	s := streams{in: in, out: o, err: errOut}
	return lost(s, o, run(ctx, args, s))
}

func run(ctx context.Context, args []string, s streams) int {
	var a app
	code := -1
	parser, err := kong.New(&a, kong.Name("repgen"), kong.Description(description), kong.Writers(s.out, s.err), kong.Vars{"version": "repgen " + versionText(), "benchMethods": bench.DefaultMethods},
		kong.UsageOnError(), kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Exit(func(c int) { code = c; panic(exit{c}) }))
	if err != nil {
		_, _ = fmt.Fprintln(s.err, "repgen:", inert.Line(err.Error()))
		return exitFailed
	}
	kctx, err := parse(parser, args)
	if code >= 0 {
		return code // --help has been printed
	}
	if err != nil {
		var wrong *kong.ParseError
		if errors.As(err, &wrong) && wrong.Context != nil {
			s.command = words(wrong.Context.Command())
		}
		return tellUsage(s, args, proof.ResultError{What: err.Error(), Next: "repgen --help, or repgen COMMAND --help"})
	}
	s.command = words(kctx.Command())
	kctx.BindTo(ctx, (*context.Context)(nil))
	err = kctx.Run(s)
	var e exit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		return e.code
	}
	problem, c := explain(err)
	output.Problem(s.err, s.named(problem))
	return c
}

// parse turns kong's way of ending the program for --help into a return.
func parse(parser *kong.Kong, args []string) (kctx *kong.Context, err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(exit); !ok {
				panic(r)
			}
		}
	}()
	if len(args) == 0 {
		args = []string{"--help"}
	}
	return parser.Parse(args)
}
