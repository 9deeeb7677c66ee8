package pysyntax

// Parts are the pieces of a script that an edit can take out or change, each
// with the byte span to change. They are read on demand: most scripts are never
// edited, and File would be twice as large with them.
type Parts struct {
	File       *File
	Statements []Inner
	Decorators []Decorator
	Arguments  []Argument
	Contexts   []Context
	Calls      []CallPart
	Uses       []Use
	Literals   []Literal
}

// Inner is one simple statement (no if, for, def, ...) at any depth.
type Inner struct {
	Kind          string // as Statement.Kind
	Text          string
	Span          Span
	Line, EndLine int
	Scope         string
	// Func is the called function of a statement that is one call.
	Func string
	// Targets are what an assignment assigns, as written; Binds those of them
	// that are plain names.
	Targets []string
	Binds   []string
	// ValueSpan is of the assigned value; zero for any other statement.
	ValueSpan Span
	Reads     []string
}

// Decorator is one decorator; its Span ends before the end of the line.
type Decorator struct {
	Name string // dotted name of it or of the function that makes it
	Full string
	Of   string // the decorated name
	Line int
	Span Span
}

// Argument is one argument of a call, or one element of a list or tuple.
type Argument struct {
	Call  string // dotted callee as written; "" for an element or another callee
	Full  string // as Call.Full
	Key   string // the keyword, "" for a positional one
	Value string
	Func  string // dotted callee when the value is a call itself
	Span  Span   // with the keyword
	// ValueSpan is of the value alone, Cut of the argument with its comma.
	ValueSpan, Cut Span
	Line           int
	Scope          string
}

// Context is the expression of one item of a with statement, without "as x".
type Context struct {
	Func string // dotted callee or name
	Full string
	Span Span
	Line int
}

// CallPart is one call with the spans inside it.
type CallPart struct {
	Func   string // as Call.Func
	Full   string
	Method string
	Span   Span
	// Object is the receiver of a method call; First the first positional
	// argument; Close the place right before the closing bracket. Zero spans
	// where there is none.
	Object, First, Close Span
	Positional, Keywords int
	Args                 []Argument
	// Statement: the call is a whole statement, so that its value is unused.
	Statement bool
	Line      int
	Scope     string
}

// Use is one read of a name or of a chain of names, or a name in an import.
type Use struct {
	Text   string
	Full   string
	Span   Span
	Line   int
	Import bool
}

// Literal is one number, string, True, False or None.
type Literal struct {
	Text string
	Span Span
	Line int
}

// Change is one replacement of a byte span.
type Change struct {
	Span  Span
	After string
	Line  int // 1-based, of the span's beginning
	Kind  string
	Why   string
}
