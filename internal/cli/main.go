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
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox/bwrap"
)

// Exit codes. Those of a verdict are in proof.ExitCode; `verify` has its own.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitDifferent   = 4
	exitTampered    = 6
	exitInterrupted = 130
)

const description = `Turn a deep-learning bug report into a script, the environment it ran in, and a verdict that anyone can re-run.

` + verdictCodes + verifyCodes + `triage, env, show, doctor, version: 0 done, 1 failed, 5 nothing can be attempted (triage, env).`

const verdictCodes = `Exit codes of reproduce and judge:
  0    reproduced, fixed, regression (or flaky with grade A to C)
  1    failed: our own defect or the infrastructure (index down, disk full)
  2    usage error
  3    not_reproduced
  4    lead, different_failure, exhausted, flaky with grade D
  5    needs_info, needs_model, needs_hardware, env_unavailable, not_a_bug, hostile
  130  interrupted
`

const verifyCodes = `verify: 0 same, 4 different, 6 tampered, 1 could not.
`

// Help stands below the flags of the command.
func (reproduceCmd) Help() string { return verdictCodes }

// Help stands below the flags of the command.
func (judgeCmd) Help() string { return verdictCodes }

// Help stands below the flags of the command.
func (verifyCmd) Help() string { return "Exit codes of " + verifyCodes }

// app is the grammar of the command line.
type app struct {
	Reproduce reproduceCmd `cmd:"" help:"Reproduce a bug report: a file, - for standard input, a GitHub issue URL or owner/repo#N."`
	Judge     judgeCmd     `cmd:"" help:"Judge somebody else's script against a report, by the same code."`
	Verify    verifyCmd    `cmd:"" help:"Run a bundle again here and compare it field by field."`
	Env       envCmd       `cmd:"" help:"Only solve and build the environment of a report; say why each version."`
	Triage    triageCmd    `cmd:"" help:"Only read a report and say what could be done with it."`
	Show      showCmd      `cmd:"" help:"Show a run folder again."`
	Doctor    doctorCmd    `cmd:"" help:"Say which isolation layers, interpreters, tools and index are usable here."`
	Version   versionCmd   `cmd:"" help:"Print the version."`

	PrintVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

// streams are what a command talks to.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
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
	return run(ctx, args, streams{in, out, errOut})
}

func run(ctx context.Context, args []string, s streams) int {
	var a app
	code := -1
	parser, err := kong.New(&a, kong.Name("repgen"), kong.Description(description), kong.Writers(s.out, s.err), kong.Vars{"version": "repgen " + versionText()},
		kong.UsageOnError(), kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Exit(func(c int) { code = c; panic(exit{c}) }))
	if err != nil {
		_, _ = fmt.Fprintln(s.err, "repgen:", err)
		return exitFailed
	}
	kctx, err := parse(parser, args)
	if code >= 0 {
		return code // --help has been printed
	}
	if err != nil {
		output.Problem(s.err, proof.ResultError{What: err.Error(), Next: "repgen --help, or repgen COMMAND --help"})
		return exitUsage
	}
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
	output.Problem(s.err, problem)
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
