// Package pysyntax reads the facts of Python source: statements, imports,
// undefined names, comparisons, calls, each with its span. It never runs
// anything and never fails: what does not parse gives fewer facts and a list
// of syntax errors. The syntax tree lives and dies inside Parse.
package pysyntax

// Span is a half-open byte range in the parsed source.
type Span struct {
	Start, End int
}

// File holds the facts of one source text. It is plain data: no tree of the
// parser stays behind it. Lines are 1-based, columns 0-based in bytes.
type File struct {
	Source       string
	SyntaxErrors []SyntaxError
	Imports      []Import
	Defined      []Def
	// Statements are the top-level ones, in order.
	Statements []Statement
	Asserts    []Assert
	Compares   []Compare
	Comments   []Comment
	Calls      []Call
	Prints     []Print
	Strings    []String
	Attributes []Attribute
	Assigns    []Assign
	Raises     []Raise
	Conditions []Condition
	Handlers   []Handler
	Tries      []Try
	Deletes    []Delete
	// StarImport: "from x import *" makes every unbound name possibly bound.
	StarImport bool
	// Truncated: the source was longer or deeper than the limits, and the facts
	// of the rest are missing.
	Truncated bool
	// Python2Print: a print statement of Python 2 was seen.
	Python2Print bool

	undefined []Name
	bindings  map[string]string
	flows     []flow
}

// SyntaxError is one place that is no Python 3.
type SyntaxError struct {
	Line, Col int
	// Text says what is wrong ("unexpected text: $ pip", "missing )").
	Text string
}

// Import is one imported module. Names are those of a from-import ("*" for all).
type Import struct {
	Module string // as written: "torch.nn", ".sibling"
	Names  []ImportedName
	Alias  string // "import x as Alias"
	Line   int
	// TopLevel: stands at module scope (also inside try or if there).
	TopLevel bool
	// Dynamic: importlib.import_module("x") or __import__("x").
	Dynamic bool
	// Guarded: inside a try, so that its failure may be harmless.
	Guarded bool
	Span    Span
}

// ImportedName is one name of a from-import.
type ImportedName struct {
	Name, Alias string
}

// Name is a name read at Line that nothing binds.
type Name struct {
	Name string
	Line int
}

// Def is a function or class.
type Def struct {
	Kind          string // "function" or "class"
	Name          string
	Line, EndLine int
	Span          Span
	// Scope is the dotted path of enclosing definitions, "" at module scope.
	Scope string
	// Bases are the base classes as written.
	Bases []string
	// Reads are the names (dotted, as written) that the body reads.
	Reads []string
}

// Statement is one top-level statement.
type Statement struct {
	// Kind is the grammar's: "expression", "assignment", "import",
	// "if", "for", "while", "with", "try", "function", "class", "assert",
	// "raise", "delete", "print" (Python 2), "comment" is never one, "error".
	Kind          string
	Line, EndLine int
	Text          string
	Span          Span
}

// Assert is an assert statement; Left, Op and Right are set when the test is
// one comparison.
type Assert struct {
	Test            string
	Left, Op, Right string
	Line            int
	// Reads are the names the test reads.
	Reads []string
}

// Compare is a comparison of two expressions.
type Compare struct {
	Left, Op, Right string
	Line            int
	InPrint         bool
	InAssert        bool
	// Scope as in Def: operands inside a function are no globals.
	Scope string
}

// Comment is one comment, with its hash sign.
type Comment struct {
	Text string
	Line int
	// Trailing: code stands before it on the line.
	Trailing bool
	Span     Span
}

// Call is one call.
type Call struct {
	Func string // dotted text as written, "" when it is no plain name
	// Full is Func with its first name replaced by what the imports bound it to.
	Full     string
	Args     []string          // positional, as written
	Keywords map[string]string // as written
	Line     int
	Scope    string
	Span     Span
	// Method is the last part of the called attribute also where Func is "".
	Method string
	// ArgReads are the names (dotted, as written) that the arguments read.
	ArgReads []string
	// Guards are the names that decide whether the call is reached, as in Print;
	// InHandler: it stands in an except clause.
	Guards    []string
	InHandler bool

	argCalls []string // functions that the arguments call
}

// Print is a call of print; Args are its positional arguments as written.
type Print struct {
	Args []string
	Line int
	// Reads are the names that the arguments read, Guards those that decide
	// whether the line is reached at all (the condition of an enclosing if, the
	// body of the try whose except clause it stands in).
	Reads  []string
	Guards []string
	Scope  string
	// Broad: it stands in an except clause for every exception.
	Broad bool
}

// String is a string literal without its quotes.
type String struct {
	Value string
	Line  int
	Span  Span // with quotes and prefix
	// Formatted: an f-string with at least one replacement.
	Formatted bool
	Bytes     bool
}

// Attribute is one dotted access that is a chain of plain names.
type Attribute struct {
	Text  string // as written
	Full  string // first name replaced as in Call
	Line  int
	Scope string
	Span  Span
}

// Assign is an assignment to one target.
type Assign struct {
	Target string // as written
	Full   string // first name replaced as in Call
	Kind   string // "name", "attribute", "subscript"
	Value  string // as written, "" for targets of for, with and augmented ones
	Line   int
	Scope  string
	// Literal: the value is made of literals only.
	Literal bool
	// Reads are the names that the value reads.
	Reads []string
	// InHandler: inside an except clause. Guards as in Call.
	InHandler bool
	Guards    []string
}

// Raise is one raise statement, or a call that ends the process by hand.
type Raise struct {
	Class string // dotted, "" for a bare raise
	Text  string
	Line  int
	Scope string
	// InHandler: inside an except clause.
	InHandler bool
}

// Condition is an expression that decides a branch.
type Condition struct {
	// Kind: "if", "while", "ternary", "assert", "match", "filter" (of a
	// comprehension), "compare" (anywhere but in a print), "logic" (and, or,
	// not), "index" (of a subscript).
	Kind  string
	Text  string
	Line  int
	Reads []string
}

// Handler is one except clause.
type Handler struct {
	Classes []string // empty: bare
	Line    int
	// Raises: its body raises; Silent: its body is only pass, ... or continue;
	// Prints: its body calls print.
	Raises, Silent, Prints bool
	Scope                  string
}

// Try is one try statement.
type Try struct {
	Line, EndLine int
	// Swallows: it can go on after an exception, by an except clause that does not
	// raise or by leaving out of its finally clause. Leaves: something in it
	// returns, breaks or continues.
	Swallows, Leaves bool
	// Reads are the names that are read anywhere in it, imported ones among them.
	Reads []string
}

// Delete is the target of a del statement.
type Delete struct {
	Target, Full string
	Line         int
}

// flow is one binding of a name from the names that its value reads.
type flow struct {
	target string
	reads  []string
	// calls are the functions that the value calls.
	calls []string
}
