package llm

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// What is wrong with an answer that cannot be read; test with errors.Is.
var (
	ErrEmpty     = errors.New("the answer is empty")
	ErrTruncated = errors.New("the answer is cut off")
	ErrNoJSON    = errors.New("the answer holds no JSON of the wanted form")
	ErrNoCode    = errors.New("the answer holds no Python script")
	ErrLanguage  = errors.New("the script is not Python")
	ErrTooLong   = errors.New("the script is too long")
)

// maxStarts bounds how many places of an answer are tried as the start of a
// value, and maxWork how many bytes are read for it, as a multiple of the
// answer's length: an answer of brackets alone must not cost a second.
const (
	maxStarts = 1000
	maxWork   = 8
)

// ReadJSON finds the JSON value in an answer and stores it in the value that
// into points to. It reads through prose, fences and a model's thinking aloud,
// and repairs what is unmistakable (see lenient); repairs says what it did. With
// a schema, only what meets it is taken, also from inside another value; of
// several values the last one counts, for models first think and then answer.
//
// Errors are ErrEmpty, ErrTruncated (the value is cut off: ask for a longer
// answer) or ErrNoJSON with the reason; into is then untouched. A value that
// merely lacks brackets at its end is taken; where Response.Finish says that the
// answer is cut off, do not call this.
func ReadJSON(text string, schema []byte, into any) (repairs []string, err error) {
	text, thought := withoutThinking(text)
	if strings.TrimSpace(text) == "" {
		if thought {
			return nil, fmt.Errorf("%w: it ends while the model thinks aloud", ErrTruncated)
		}
		return nil, ErrEmpty
	}
	s, err := compile(schema)
	if err != nil {
		return nil, err
	}
	f := &finder{text: text, schema: s, into: reflect.TypeOf(into)}
	if f.into == nil || f.into.Kind() != reflect.Pointer {
		return nil, fmt.Errorf("read an answer: %T is no pointer", into)
	}
	f.find()
	if f.best == nil {
		return nil, f.failure()
	}
	reflect.ValueOf(into).Elem().Set(f.best.Elem())
	if f.found > 1 {
		f.repairs.add("of several values the last one was taken")
	}
	return f.repairs, nil
}

// finder looks for values in an answer.
type finder struct {
	text   string
	schema *jsonschema.Schema
	into   reflect.Type // a pointer

	best    *reflect.Value
	repairs notes
	found   int
	cut     bool
	why     error // why a value was not taken
}

// find tries each bracket that is in no value yet.
func (f *finder) find() {
	work := maxWork*len(f.text) + 1<<16
	inside := 0 // below it everything is part of a value that was not taken
	for i, tries := 0, 0; i < len(f.text) && tries < maxStarts && work > 0; {
		next := strings.IndexAny(f.text[i:], "{[")
		if next < 0 {
			return
		}
		i += next
		if i < inside && f.schema == nil || f.cut && i > 0 && f.text[i-1] != '\n' {
			// Any object fits a type without a schema, and a part of a value
			// that is cut off is not the answer.
			i++
			continue
		}
		tries++
		raw, end, read, did, err := readValue(f.text[i:])
		work -= read + 1
		switch {
		case errors.Is(err, errCutOff):
			f.cut = true
			i++
		case err != nil:
			inside = max(inside, i+end) // a part of what is broken is not the answer
			i++
		case f.take(raw, did):
			i += end
		default:
			inside = max(inside, i+end)
			i++
		}
	}
}

// take keeps a value if it is of the wanted form.
func (f *finder) take(raw []byte, did notes) bool {
	if f.schema != nil {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err == nil {
			err = f.schema.Validate(v)
		}
		if err != nil {
			f.refuse(err)
			return false
		}
	}
	v := reflect.New(f.into.Elem())
	if err := json.Unmarshal(raw, v.Interface()); err != nil {
		f.refuse(err)
		return false
	}
	f.best, f.repairs = &v, did
	f.found++
	return true
}

// refuse keeps the first reason: it is that of the outermost value.
func (f *finder) refuse(err error) {
	if f.why == nil {
		f.why = err
	}
}

func (f *finder) failure() error {
	switch {
	case f.cut:
		return ErrTruncated
	case f.why != nil:
		return fmt.Errorf("%w: %s", ErrNoJSON, clip(reason(f.why)))
	}
	return ErrNoJSON
}

// reason puts a schema's complaint into one line.
func reason(err error) string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err.Error()
	}
	_, what, ok := strings.Cut(err.Error(), "\n")
	if !ok {
		return err.Error()
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(what, "\n", "; ")), " ")
}

// clip bounds a reason, which may hold the model's words, and takes what steers
// a terminal out of it.
func clip(s string) string {
	const most = 300
	s = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 || c >= 0x200b && c <= 0x200f || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069 {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}

// readValue reads the value at the start of s, strictly if that goes. read is how
// many bytes that took, to bound the work.
func readValue(s string) (raw []byte, end, read int, did notes, err error) {
	dec := json.NewDecoder(strings.NewReader(s))
	var strict json.RawMessage
	if err = dec.Decode(&strict); err == nil {
		end = int(dec.InputOffset())
		return strict, end, end, nil, nil
	}
	read = len(s)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		read = int(syntax.Offset)
	}
	p := &lenient{s: s}
	err = p.value()
	if err == nil && !json.Valid(p.out) {
		err = errNotJSON
	}
	return p.out, p.i, read + p.i, p.notes, err
}

// compiled schemas: a run asks with the same few.
var compiled sync.Map // [32]byte to *jsonschema.Schema

func compile(schema []byte) (*jsonschema.Schema, error) {
	if len(schema) == 0 {
		return nil, nil
	}
	key := sha256.Sum256(schema)
	if known, ok := compiled.Load(key); ok {
		return known.(*jsonschema.Schema), nil
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("read the schema of an answer: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{}) // a schema refers to no file
	const name = "mem:answer.json"
	if err := c.AddResource(name, doc); err != nil {
		return nil, fmt.Errorf("read the schema of an answer: %w", err)
	}
	s, err := c.Compile(name)
	if err != nil {
		return nil, fmt.Errorf("read the schema of an answer: %w", err)
	}
	compiled.Store(key, s)
	return s, nil
}
