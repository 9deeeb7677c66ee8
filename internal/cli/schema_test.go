package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/repgen/repgen/internal/proof"
)

// schemaFile is the published contract of --json.
const schemaFile = "../../docs/json.schema.json"

var resultSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	return c.Compile(schemaFile)
})

// validResult checks one object of --json, and that it is the only one.
func validResult(data []byte) error {
	schema, err := resultSchema()
	if err != nil {
		return fmt.Errorf("compile %s: %w", schemaFile, err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("not one JSON object: %w", err)
	}
	return schema.Validate(v)
}

// TestSchema checks the schema itself: what it must refuse.
func TestSchema(t *testing.T) {
	var out bytes.Buffer
	if code := Main([]string{"reproduce", "--json", "no-such-file.md"}, strings.NewReader(""), &out, new(bytes.Buffer)); code != exitUsage {
		t.Fatalf("exit code %d", code)
	}
	good := out.String()
	if err := validResult([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"unknown headline": {`"failed"`, `"proven"`},
		"unknown grade":    {`"grade": ""`, `"grade": "E"`},
		"newer schema":     {`"schema": 1`, `"schema": 2`},
		"negative hits":    {`"hits": 0`, `"hits": -1`},
		"further field":    {`"schema": 1`, `"schema": 1, "token": "x"`},
		"no list":          {`"also": []`, `"also": null`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		var invalid *jsonschema.ValidationError
		if err := validResult([]byte(bad)); !errors.As(err, &invalid) {
			t.Errorf("%s: got %v from\n%s", name, err, bad)
		}
	}
	for name, bad := range map[string]string{"two objects": good + good, "text before": "x" + good, "nothing": ""} {
		if validResult([]byte(bad)) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestFailureFollowsTheSchema: what is printed when nothing was reached.
func TestFailureFollowsTheSchema(t *testing.T) {
	for _, e := range []proof.ResultError{{}, {What: "a", Why: "b\x1b[31m", Next: "\u202e"}} {
		var out bytes.Buffer
		if err := (show{JSON: true}).failIn(streams{out: &out, err: new(bytes.Buffer)}, errors.New(e.What), ""); err == nil {
			t.Error("a failure without an exit code")
		}
		if err := validResult(out.Bytes()); err != nil {
			t.Errorf("%v\n%s", err, out.String())
		}
	}
}
