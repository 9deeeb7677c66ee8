"""The script's syntax tree with a recorder in it (audit.py).

What is recorded still happens in the script's own frame: a call f(x) becomes
done(begin(1, f, x)(*args1())), so that no frame of ours lies between the script
and a package, zero-argument super works, and warnings name the script's line.
"""
from builtins import *  # noqa: F403
import ast
import sys

# Stands for the recorder until it takes its place among the constants of the code:
# a name would be one that the script can see, and speak for the recorder by.
PLACE = "\0 the recorder \0"

# What takes a function to trace, compile or differentiate it. Such code is left
# as it is: a recorder in it would be compiled too.
COMPILERS = frozenset("""jit njit cfunc pjit pmap vmap xmap shard_map smap grad value_and_grad jacfwd jacrev jacobian
    hessian jvp vjp linearize checkpoint remat custom_jvp custom_vjp defjvp defvjp make_jaxpr eval_shape scan while_loop
    fori_loop cond switch associative_scan map_fn vectorized_map compile function script trace export symbolic_trace
    optimize vectorize guvectorize kernel autotune py_function""".split())


def last(node):
    """The last name of a dotted one."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def names(node):
    return set(n.id for n in ast.walk(node) if isinstance(n, ast.Name))


def left_alone(tree):
    """The functions and classes, by id, into which nothing is put: those that a
    compiler is given, and what they use."""
    known, handed, quiet = {}, set(), []
    for n in ast.walk(tree):
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            known.setdefault(n.name, []).append(n)
            if any(last(d) in COMPILERS for deco in n.decorator_list for d in ast.walk(deco)):
                quiet.append(n)
        elif isinstance(n, ast.Call) and last(n.func) in COMPILERS:
            for a in list(n.args) + [k.value for k in n.keywords]:
                handed |= names(a)
                quiet.extend(x for x in ast.walk(a) if isinstance(x, ast.Lambda))
    if handed - set(known):
        # An object of one of the script's classes may be among them.
        quiet.extend(n for n in ast.walk(tree) if isinstance(n, ast.ClassDef))
    found, rest = set(), quiet + [n for name in handed for n in known.get(name, ())]
    while rest:
        n = rest.pop()
        if id(n) not in found:
            found.add(id(n))
            rest.extend(k for name in names(n) for k in known.get(name, ()))
    return found


def imported(tree):
    """The full name of each name that an import binds."""
    full = {}
    for n in ast.walk(tree):
        if isinstance(n, ast.Import):
            for a in n.names:
                full[a.asname or a.name.partition(".")[0]] = a.name if a.asname else a.name.partition(".")[0]
        elif isinstance(n, ast.ImportFrom) and n.module and not n.level:
            for a in n.names:
                full[a.asname or a.name] = n.module + "." + a.name
    return full


class Rewrite(ast.NodeTransformer):
    def __init__(self, tree):
        self.sites = []  # of each place: kind, line, column, text
        self.quiet, self.full = left_alone(tree), imported(tree)

    def site(self, kind, node, text=""):
        self.sites.append((kind, getattr(node, "lineno", 0), getattr(node, "col_offset", 0), text))
        return self.constant(len(self.sites) - 1)

    def constant(self, value):
        return ast.Constant(value, None) if "kind" in ast.Constant._fields else ast.Constant(value)

    def text(self, node):
        """A short text of an expression, with the full names of what is imported."""
        if isinstance(node, ast.Name):
            return self.full.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            return self.text(node.value) + "." + node.attr
        if isinstance(node, ast.Call):
            return self.text(node.func) + "(...)"
        if isinstance(node, ast.Subscript):
            return self.text(node.value) + "[...]"
        return "(...)"

    def do(self, name, *args, **more):
        f = ast.Attribute(self.constant(PLACE), name, ast.Load())
        return ast.Call(f, list(args), more.get("keywords") or [])

    def put(self, new, old):
        return ast.copy_location(new, old)  # what is within takes its place from it at the end

    def visits(self, nodes):
        return [self.visit(n) for n in nodes]

    def visit_Call(self, n):
        s = self.site("call", n, self.text(n.func))
        func, args = self.visit(n.func), self.visits(n.args)
        keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in n.keywords]
        if not args and not keywords:
            return self.put(self.do("done", ast.Call(self.do("begin0", s, func), [], [])), n)
        begun = self.do("begin", s, func, *args, keywords=keywords)
        if not keywords:
            call = ast.Call(begun, [ast.Starred(self.do("args1"), ast.Load())], [])
        else:
            call = ast.Call(begun, [ast.Starred(self.do("args2"), ast.Load())], [ast.keyword(None, self.do("keywords"))])
        return self.put(self.do("done", call), n)

    def visit_Attribute(self, n):
        if not isinstance(n.ctx, ast.Load):
            n.value = self.visit(n.value)
            return n
        s = self.site("attr", n, self.text(n))
        return self.put(self.do("done", ast.Attribute(self.do("owner", s, self.visit(n.value)), n.attr, ast.Load())), n)

    def index(self, n):
        """A subscript as an expression."""
        kind = type(n).__name__
        if kind == "Index":
            return self.index(n.value)
        if kind == "Slice":
            return self.do("slice", *[self.visit(x) if x is not None else self.constant(None) for x in (n.lower, n.upper, n.step)])
        if kind == "ExtSlice":
            return ast.Tuple([self.index(x) for x in n.dims], ast.Load())
        if kind == "Tuple":
            return ast.Tuple([self.index(x) for x in n.elts], ast.Load())
        return self.visit(n)

    def visit_Subscript(self, n):
        if not isinstance(n.ctx, ast.Load):
            return self.generic_visit(n)
        s = self.site("op", n, "getitem")
        right = self.do("right")
        value = self.do("left", s, self.visit(n.value), self.index(n.slice))
        if sys.version_info < (3, 9):
            right = ast.Index(right)
        return self.put(self.do("done", ast.Subscript(value, right, ast.Load())), n)

    def visit_BinOp(self, n):
        s = self.site("op", n, type(n.op).__name__)
        left = self.do("left", s, self.visit(n.left), self.visit(n.right))
        return self.put(self.do("done", ast.BinOp(left, n.op, self.do("right"))), n)

    def visit_UnaryOp(self, n):
        if type(n.operand).__name__ in ("Num", "Constant"):
            return n
        s = self.site("op", n, type(n.op).__name__)
        return self.put(self.do("done", ast.UnaryOp(n.op, self.do("only", s, self.visit(n.operand)))), n)

    def visit_Compare(self, n):
        if len(n.ops) > 1:
            # Later operands are evaluated only if the first comparison holds.
            return self.generic_visit(n)
        s = self.site("op", n, type(n.ops[0]).__name__)
        left = self.do("left", s, self.visit(n.left), self.visit(n.comparators[0]))
        return self.put(self.do("done", ast.Compare(left, n.ops, [self.do("right")])), n)

    def test(self, n):
        if isinstance(n, ast.BoolOp):
            n.values = [self.test(v) for v in n.values]
            return n
        if type(n).__name__ in ("Num", "Constant", "NameConstant"):
            return n
        return self.put(self.do("test", self.site("test", n, self.text(n)), self.visit(n)), n)

    def visit_BoolOp(self, n):
        n.values = [self.test(v) for v in n.values[:-1]] + [self.visit(n.values[-1])]
        return n

    def visit_IfExp(self, n):
        n.test, n.body, n.orelse = self.test(n.test), self.visit(n.body), self.visit(n.orelse)
        return n

    def visit_If(self, n):
        n.test, n.body, n.orelse = self.test(n.test), self.block(n.body), self.block(n.orelse)
        return n

    visit_While = visit_If

    def visit_Assert(self, n):
        n.test = self.test(n.test)
        n.msg = self.visit(n.msg) if n.msg is not None else None
        return n

    def visit_Match(self, n):
        n.subject = self.test(n.subject)
        for c in n.cases:  # a pattern is no expression
            c.guard = self.test(c.guard) if c.guard is not None else None
            c.body = self.block(c.body)
        return n

    def visit_comprehension(self, n):
        n.iter = self.put(self.do("each", self.site("iter", n.iter, self.text(n.iter)), self.visit(n.iter)), n.iter)
        n.ifs = [self.test(t) for t in n.ifs]
        return n

    def load(self, target):
        """A target's value once it is bound; None where that would do something."""
        if isinstance(target, ast.Name):
            return ast.Name(target.id, ast.Load())
        if isinstance(target, (ast.Tuple, ast.List)):
            parts = [self.load(t.value if isinstance(t, ast.Starred) else t) for t in target.elts]
            return None if None in parts else ast.Tuple(parts, ast.Load())
        return None

    def block(self, body):
        out = []
        for n in body:
            new = self.visit(n)
            out.extend(new if isinstance(new, list) else [new])
        return out

    def say(self, value, old):
        return self.put(ast.Expr(value), old)

    def visit_For(self, n):
        s = self.site("next", n.iter, self.text(n.iter))
        value = self.load(n.target)
        n.iter = self.put(self.do("each", s, self.visit(n.iter)), n.iter)
        n.target = self.visit(n.target)
        n.body, n.orelse = self.block(n.body), self.block(n.orelse)
        if value is not None:
            n.body.insert(0, self.say(self.do("item", s, value), n))
            n.orelse.insert(0, self.say(self.do("over", s), n))
        return n

    def visit_With(self, n):
        first = []
        for i in n.items:
            s, value = self.site("enter", i.context_expr, self.text(i.context_expr)), i.optional_vars and self.load(i.optional_vars)
            i.context_expr = self.visit(i.context_expr)
            if value is not None:
                first.append(self.say(self.do("entered", s, value), n))
        # What the manager swallows left a call behind.
        handler = ast.ExceptHandler(None, None, [self.say(self.do("caught"), n), self.put(ast.Raise(None, None), n)])
        n.body = [self.put(ast.Try(first + self.block(n.body), [self.put(handler, n)], [], []), n)]
        return n

    def visit_ExceptHandler(self, n):
        n.body = [self.say(self.do("caught"), n)] + self.block(n.body)
        return n

    def visit_Try(self, n):
        n.body, n.orelse, n.finalbody = self.block(n.body), self.block(n.orelse), self.block(n.finalbody)
        n.handlers = self.visits(n.handlers)
        return n

    visit_TryStar = visit_Try

    def visit_Import(self, n):
        module = n.module if isinstance(n, ast.ImportFrom) else None
        if module == "__future__":
            return n
        text = ", ".join((module + "." if module else "") + a.name for a in n.names)
        bound = [a.asname or a.name.partition(".")[0] for a in n.names if a.name != "*"]
        after = self.do("bound", *[ast.Tuple([self.constant(self.full.get(b, b)), ast.Name(b, ast.Load())], ast.Load()) for b in bound])
        return [self.say(self.do("imports", self.site("import", n, text)), n), n, self.say(after, n)]

    visit_ImportFrom = visit_Import

    def given(self, n):
        if n.value is not None:
            n.value = self.put(self.do("given", self.site("given", n, ""), self.visit(n.value)), n)
        return n

    visit_Return = visit_Yield = given

    def visit_Assign(self, n):
        n.value = self.visit(n.value)
        if any(isinstance(t, (ast.Attribute, ast.Subscript)) for t in n.targets):
            n.value = self.put(self.do("stored", self.site("store", n, self.text(n.targets[0])), n.value), n.value)
        n.targets = self.visits(n.targets)
        return n

    def visit_AnnAssign(self, n):  # annotations stay as they are
        n.value = self.visit(n.value) if n.value is not None else None
        return n

    def visit_AugAssign(self, n):
        if not isinstance(n.target, ast.Name):
            n.target, n.value = self.visit(n.target), self.visit(n.value)
            n.value = self.put(self.do("stored", self.site("store", n, self.text(n.target)), n.value), n.value)
            return n
        s = self.site("op", n, "I" + type(n.op).__name__)
        n.value = self.put(self.do("inplace", s, ast.Name(n.target.id, ast.Load()), self.visit(n.value)), n.value)
        return [n, self.say(self.do("done", ast.Name(n.target.id, ast.Load())), n)]

    def visit_Delete(self, n):
        said = [self.say(self.do("stored", self.site("store", t, "del"), self.index(t.slice)), n)
                for t in n.targets if isinstance(t, ast.Subscript) and type(t.slice).__name__ in ("Index", "Constant", "Name", "UnaryOp")]
        return said + [self.generic_visit(n)]

    def visit_JoinedStr(self, n):
        s = self.site("op", n, "format")
        for v in n.values:
            if isinstance(v, ast.FormattedValue):
                v.value = self.put(self.do("part", self.visit(v.value)), v.value)
        return self.put(self.do("joined", s, n), n)

    def function(self, n):
        if id(n) in self.quiet:
            return n
        n.args.defaults = self.visits(n.args.defaults)
        n.args.kw_defaults = [self.visit(d) if d is not None else None for d in n.args.kw_defaults]
        if isinstance(n, ast.Lambda):
            n.body = self.put(self.do("given", self.site("given", n, ""), self.visit(n.body)), n.body)
            return n
        doc = n.body[:1] if ast.get_docstring(n, clean=False) is not None else []
        n.body = doc + self.block(n.body[len(doc):])
        return n

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = function

    def visit_ClassDef(self, n):
        if id(n) not in self.quiet:
            n.body = self.block(n.body)
        return n


def sources(tree):
    """The text of each function, as its tree, by what its code object says of it."""
    found = {}
    for n in ast.walk(tree):
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            line = min([n.lineno] + [d.lineno for d in getattr(n, "decorator_list", ())])
            found[getattr(n, "name", "<lambda>"), line] = ast.dump(n)
    return found


def placed(code, recorder):
    """The code, and all code in it, with the recorder in its place."""
    consts = tuple(recorder if type(c) is str and c == PLACE else placed(c, recorder) if type(c) is type(code) else c
                   for c in code.co_consts)
    if hasattr(code, "replace"):
        return code.replace(co_consts=consts)
    return type(code)(code.co_argcount, code.co_kwonlyargcount, code.co_nlocals, code.co_stacksize, code.co_flags, code.co_code, consts,
                      code.co_names, code.co_varnames, code.co_filename, code.co_name, code.co_firstlineno, code.co_lnotab,
                      code.co_freevars, code.co_cellvars)  # before 3.8


def rewrite(source, file, recorder):
    """(code, sites, sources) of a script."""
    tree = ast.parse(source, file)
    texts = sources(tree)
    w = Rewrite(tree)
    doc = tree.body[:1] if ast.get_docstring(tree, clean=False) is not None else []
    tree.body = doc + w.block(tree.body[len(doc):])
    code = compile(ast.fix_missing_locations(tree), file, "exec", 0, True)
    return placed(code, recorder), w.sites, texts
