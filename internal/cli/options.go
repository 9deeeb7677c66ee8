package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/repgen/repgen/internal/output"
	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/sandbox"
)

// show are the flags of every command that prints a result.
type show struct {
	JSON    bool `help:"One JSON object on standard output (docs/json.md)." name:"json"`
	Quiet   bool `short:"q" help:"Only the headline, no progress."`
	Verbose bool `short:"v" help:"Log what is done, to standard error."`
}

// place are the flags that say where things come from and how they are run.
type place struct {
	Index           string `help:"Package index. Default: UV_DEFAULT_INDEX, PIP_INDEX_URL, the configuration of pip and uv, else uv's own." placeholder:"URL"`
	UnsafeNoSandbox bool   `help:"Run the report's script WITHOUT isolation, with your rights and files. Recorded in the verdict."`
}

// wishes are the user's words about the environment; they beat the report's.
type wishes struct {
	Date    string   `help:"Solve the environment as of the end of this day, UTC (YYYY-MM-DD). Default: the issue's day, else seven days after the newest release that the report names." placeholder:"DAY"`
	Python  string   `help:"Python version, such as 3.11." placeholder:"X.Y"`
	Subject string   `help:"The package under suspicion." placeholder:"NAME"`
	With    []string `help:"A further requirement, such as 'scipy<1.12'. May be repeated." placeholder:"REQ" sep:"none"`
}

// runFlags are the flags of reproduce and judge.
type runFlags struct {
	wishes `embed:""`
	place  `embed:""`
	show   `embed:""`

	source `embed:""`

	modelBudget `embed:""`

	Good string `help:"A version of the subject that is known to be good." placeholder:"VERSION"`
	// Nil where it is not given: a resumed run then keeps what it was begun with.
	Runs       *int           `help:"Executions on the reported side to begin with; more, up to 20 or twice as many, while they are mixed (default 5)." placeholder:"N"`
	BudgetTime *time.Duration `help:"Start no new control or attempt after this time, such as 10m (default 15m; 0: no limit)." placeholder:"DURATION"`
	RunTimeout *time.Duration `help:"Wall limit of one execution (default 5m)." placeholder:"DURATION"`
	Out        string         `help:"The run folder. Default: a fresh one below repgen-out." placeholder:"DIR"`
	Resume     string         `help:"Go on with a run that was interrupted. Of a run that somebody else made only the question is taken, and a new one is begun." placeholder:"RUN"`
}

// Defaults of --runs, --budget-time and --run-timeout (guesses).
const (
	defaultRuns       = 5
	defaultBudget     = 15 * time.Minute
	defaultRunTimeout = 5 * time.Minute
)

func (f *runFlags) check() error {
	if f.Runs != nil && (*f.Runs < 1 || *f.Runs > 1000) {
		return usage("--runs %d: it must be between 1 and 1000", *f.Runs)
	}
	if f.BudgetTime != nil && *f.BudgetTime < 0 || f.RunTimeout != nil && *f.RunTimeout <= 0 {
		return usage("--budget-time must not be negative, --run-timeout not negative or zero")
	}
	if f.Out != "" && f.Resume != "" {
		return usage("--out and --resume exclude each other: a run goes on in its own folder")
	}
	for _, err := range []error{f.wishes.check(), checkGood(f.Good), f.place.check(), f.source.check(), f.modelBudget.check()} {
		if err != nil {
			return err
		}
	}
	return f.checkResume()
}

// checkResume: a run goes on with the words it was begun with, so that new
// ones are not dropped in silence.
func (f *runFlags) checkResume() error {
	if f.Resume == "" {
		return nil
	}
	for _, w := range []struct {
		flag string
		set  bool
	}{
		{"--date", f.Date != ""}, {"--python", f.Python != ""}, {"--subject", f.Subject != ""}, {"--with", len(f.With) > 0},
		{"--good", f.Good != ""},
	} {
		if w.set {
			return usage("%s and --resume exclude each other: a run goes on with the words it was begun with", w.flag)
		}
	}
	return nil
}

// request fills what the flags say into a request.
func (f *runFlags) request(req *pipeline.Request) error {
	date, err := day(f.Date)
	if err != nil {
		return err
	}
	req.Date, req.Python, req.Subject, req.With, req.Good = date, f.Python, f.Subject, f.With, f.Good
	req.Runs, req.Budget, req.Unsafe = defaultRuns, defaultBudget, f.UnsafeNoSandbox
	req.Limits = sandbox.DefaultLimits()
	req.Limits.Wall = defaultRunTimeout
	f.effort(req)
	req.Project, err = f.project()
	return err
}

// effort puts what was said of it into a request and leaves the rest as it is:
// more of it is a reason to go on with a run.
func (f *runFlags) effort(req *pipeline.Request) {
	set(&req.Runs, f.Runs)
	set(&req.Budget, f.BudgetTime)
	set(&req.Limits.Wall, f.RunTimeout)
}

// over puts the flags that were given over the words of an older request.
func (f *runFlags) over(req *pipeline.Request) error {
	old := *req
	if err := f.request(req); err != nil {
		return err
	}
	if f.Date == "" {
		req.Date = old.Date
	}
	keep := func(to *string, was string) {
		if *to == "" {
			*to = was
		}
	}
	keep(&req.Python, old.Python)
	keep(&req.Subject, old.Subject)
	keep(&req.Good, old.Good)
	if len(req.With) == 0 {
		req.With = old.With
	}
	if req.Project == nil {
		req.Project = old.Project
	}
	req.Runs, req.Budget, req.Limits.Wall = old.Runs, old.Budget, old.Limits.Wall
	f.effort(req)
	return nil
}

// day is the end of a day in UTC: some reports need an upload of their own
// day. A full instant is taken as it is.
func day(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t.Add(24*time.Hour - time.Second).UTC(), nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, usage("--date %q is no day: write YYYY-MM-DD", s)
	}
	return t.UTC(), nil
}

// usageError is a wrong word on the command line.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usage(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// style says what a stream can show.
func style(w io.Writer) output.Style {
	f, ok := bare(w).(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return output.Style{}
	}
	dumb := os.Getenv("TERM") == "dumb"
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 0
	}
	return output.Style{Color: os.Getenv("NO_COLOR") == "" && !dumb, Live: !dumb, Width: width}
}

// progress draws for the given flags.
func (s show) progress(st streams) *output.Progress {
	out, errW := st.out, st.err
	if s.JSON || s.Quiet {
		out = nil
	}
	if s.Quiet {
		errW = nil
	}
	return output.NewProgress(out, style(st.out), errW, style(st.err))
}
