package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/llm"
)

// Fault is one way in which a language model or its backend misbehaves.
type Fault struct {
	Name  string
	Reply Reply
	// Kind of the error, "" where it answers.
	Kind llm.Kind
	// Unreadable: the answer holds no script and no JSON.
	Unreadable bool
}

// Faults are all of them. Each plays for ever; Hang ends with its context.
func Faults() []Fault {
	return []Fault{
		{Name: "empty", Reply: Empty(), Unreadable: true},
		{Name: "prose", Reply: Prose(), Unreadable: true},
		{Name: "truncated", Reply: Truncated(), Unreadable: true},
		{Name: "wrong-language", Reply: WrongLanguage(), Unreadable: true},
		{Name: "one-megabyte", Reply: Huge(), Unreadable: true},
		{Name: "bad-json", Reply: BadJSON(), Unreadable: true},
		{Name: "same-for-ever", Reply: Text(Fenced("print('the same')\n"))},
		{Name: "hang", Reply: Hang(), Kind: llm.Timeout},
		{Name: "rate-limited", Reply: RateLimited(), Kind: llm.RateLimited},
		{Name: "server-error", Reply: ServerError(), Kind: llm.Overloaded},
		{Name: "cut", Reply: Cut(), Kind: llm.Connection},
		{Name: "garbage", Reply: Garbage(), Kind: llm.BadResponse},
		{Name: "overflow", Reply: Overflow(), Kind: llm.TooLong},
		{Name: "wrong-key", Reply: WrongKey(), Kind: llm.Auth},
		{Name: "crash", Reply: Crash(), Kind: llm.Crashed},
	}
}

// Fenced is a script as a model answers it.
func Fenced(script string) string { return "```python\n" + script + "```\n" }

// Empty answers nothing.
func Empty() Reply { return Text("") }

// Prose answers words only.
func Prose() Reply {
	return Text("I am sorry, but the report does not say enough. Please provide more details about the environment.")
}

// Truncated answers the start of a script and says so.
func Truncated() Reply {
	return Finished("Here is the script:\n```python\nimport numpy as np\n\nx = np.zeros((3,", llm.FinishLength)
}

// WrongLanguage answers a script that is no Python.
func WrongLanguage() Reply {
	return Text("```javascript\nconst x = [1, 2, 3];\nconsole.log(x.reduce((a, b) => a + b));\n```\n")
}

// Huge answers a megabyte.
func Huge() Reply { return Text(strings.Repeat("The bug is in the library. ", (1<<20)/27+1)) }

// BadJSON answers what no reader can repair.
func BadJSON() Reply { return Text(`{"steps" => [do: load the data; show => "it"], ...}`) }

// JSON answers a value.
func JSON(v any) Reply {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("llmtest: %v", err)) // a defect of the test
	}
	return Text(string(data))
}

// Finished answers a text with another end than llm.FinishStop.
func Finished(text string, finish llm.Finish) Reply {
	return func(_ context.Context, _ int, r llm.Request) (llm.Response, error) {
		res := Answer(r, text)
		res.Finish = finish
		return res, nil
	}
}

// Hang never answers.
func Hang() Reply {
	return func(ctx context.Context, _ int, _ llm.Request) (llm.Response, error) {
		<-ctx.Done()
		return llm.Response{}, ctx.Err()
	}
}

// Slow answers as r does, after a while.
func Slow(d time.Duration, next Reply) Reply {
	return func(ctx context.Context, n int, r llm.Request) (llm.Response, error) {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return next(ctx, n, r)
		case <-ctx.Done():
			return llm.Response{}, ctx.Err()
		}
	}
}

// Fail fails with e, for ever.
func Fail(e llm.Error) Reply {
	return func(context.Context, int, llm.Request) (llm.Response, error) {
		failure := e
		return llm.Response{}, &failure
	}
}

// FailFirst fails n times with e and then answers as next does.
func FailFirst(times int, e llm.Error, next Reply) Reply {
	return func(ctx context.Context, n int, r llm.Request) (llm.Response, error) {
		if n < times {
			failure := e
			return llm.Response{}, &failure
		}
		return next(ctx, n-times, r)
	}
}

// RateLimited is 429 for ever.
func RateLimited() Reply {
	return Fail(llm.Error{Kind: llm.RateLimited, Why: "too many requests", Next: "wait", Status: 429})
}

// ServerError is 500 for ever.
func ServerError() Reply {
	return Fail(llm.Error{Kind: llm.Overloaded, Why: "the server failed", Next: "try later", Status: 500})
}

// Cut breaks the connection within the answer.
func Cut() Reply {
	return func(_ context.Context, _ int, r llm.Request) (llm.Response, error) {
		if r.OnText != nil {
			r.OnText("```python\nimport nu")
		}
		return llm.Response{}, &llm.Error{Kind: llm.Connection, Why: "the connection was cut", Next: "try again"}
	}
}

// Garbage is an answer in no known form.
func Garbage() Reply {
	return Fail(llm.Error{Kind: llm.BadResponse, Why: "the answer has no known form", Next: "see what the server is", Status: 200})
}

// Overflow: the prompt does not fit.
func Overflow() Reply {
	return Fail(llm.Error{Kind: llm.TooLong, Why: "the prompt does not fit the model's context", Next: "lower the prompt's budget", Status: 400})
}

// WrongKey is refused.
func WrongKey() Reply {
	return Fail(llm.Error{Kind: llm.Auth, Why: "the key is not accepted", Next: "check the key", Status: 401})
}

// Crash is a command that fails.
func Crash() Reply {
	return Fail(llm.Error{Kind: llm.Crashed, Why: "the command ended with exit status 1", Next: "run the command by hand"})
}

// Budget refuses as a meter does.
func Budget() Reply {
	return Fail(llm.Error{Kind: llm.Budget, Why: "the limit is reached", Next: "raise the budget to go on"})
}

// Liars are scripts of a model that fakes a symptom, by name: each must be
// refused or end without a verdict. module and name are of the subject's, class
// and message of the exception that the report tells of.
func Liars(module, name, class, message string) map[string]string {
	quoted, err := json.Marshal(message)
	if err != nil {
		panic(fmt.Sprintf("llmtest: %v", err)) // a string always can be
	}
	raise := fmt.Sprintf("raise %s(%s)\n", class, quoted)
	return map[string]string{
		"prints-traceback": fmt.Sprintf("import sys\nimport %s\n\nprint(%s, file=sys.stderr)\n", module,
			`"Traceback (most recent call last):\n  File \"`+module+`/core.py\", line 10, in `+name+`\n`+class+`: "+`+string(quoted)),
		"raises-by-hand":   fmt.Sprintf("import %s\n\n%s", module, raise),
		"raises-after-try": fmt.Sprintf("import %[1]s\n\ntry:\n    %[1]s.%[2]s()\nexcept Exception:\n    %[3]s", module, name, raise),
		"patches-library":  fmt.Sprintf("import %[1]s\n\ndef broken(*args, **kwargs):\n    %[3]s\n%[1]s.%[2]s = broken\n%[1]s.%[2]s()\n", module, name, raise),
		"patches-by-setattr": fmt.Sprintf("import %[1]s\n\ndef broken(*args, **kwargs):\n    %[3]s\nsetattr(%[1]s, %[2]q, broken)\n%[1]s.%[2]s()\n",
			module, name, raise),
		"branches-on-version": fmt.Sprintf("import %[1]s\n\nif %[1]s.__version__:\n    %[2]s", module, raise),
		"observes-by-hand":    fmt.Sprintf("import %s\n\nobserve('result', float('nan'))\n", module),
		"executes-text": fmt.Sprintf("import %[1]s\n\nexec(compile(%[2]q, %[1]s.__file__, 'exec'))\n", module,
			raise),
	}
}
