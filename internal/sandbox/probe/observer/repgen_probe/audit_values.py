"""What a value is, without asking it: no method of an unknown object is called,
none is compared, hashed, printed, iterated or converted.

A summary is a dictionary: k kind, v the value or a name, t the import root of
the package that the type is of, h a hash, n a size, e the elements, f figures.
"""
from builtins import *  # noqa: F403
import sys
import types
from _blake2 import blake2b
from _weakref import ref as _weakref

ELEMENTS = 64  # of one container
DEPTH = 4
NODES = 256  # of one summary
SHORT = 60  # characters of a string that are kept
WHOLE = 1 << 22  # bytes of an array that are hashed; of larger ones, a sample
SOURCES = {}  # of the script's functions: (name, line) -> hash, filled by the rewrite

_module = type.__dict__["__module__"].__get__
_name = type.__dict__["__name__"].__get__
_names = type.__dict__["__dict__"].__get__
_roots = {}
_objects = {}  # id -> (number of the call that gave it, weak reference)
_public = {}  # id -> (the name by which the script reached it, the object)
_left = [0]


def _hash(data):
    return blake2b(data, digest_size=8).hexdigest()


def _root(module):
    """The import root of an installed package, "" for the standard library,
    "__main__" for the script."""
    if type(module) is not str:
        return ""
    root = module.partition(".")[0]
    if root == "__main__":
        return root
    found = _roots.get(root)
    if found is None:
        names = getattr(sys.modules.get(root), "__dict__", {})
        file = names.get("__file__")
        where = [file] if type(file) is str else list(names.get("__path__") or ())
        found = root if any(type(w) is str and "-packages" in w for w in where) else ""
        if root in sys.modules:
            _roots[root] = found
    return found


def type_root(cls):
    try:
        return _root(_module(cls))
    except Exception:
        return ""


def root(v):
    """Whose a callable is."""
    cls = type(v)
    if cls is types.FunctionType:
        return _root(v.__module__)
    if cls is types.MethodType:
        return root(v.__func__)
    if cls is types.BuiltinFunctionType:
        owner = v.__self__
        if type(owner) is types.ModuleType:
            return _root(owner.__name__)
        return _root(v.__module__) if owner is None else type_root(owner if issubclass(type(owner), type) else type(owner))
    if cls is types.ModuleType:
        return _root(v.__name__)
    if issubclass(cls, type):
        return type_root(v)
    objclass = getattr(v, "__objclass__", None) if cls is types.MethodDescriptorType or cls is types.WrapperDescriptorType else None
    return type_root(objclass or cls)


if not hasattr(types, "MethodDescriptorType"):  # 3.6
    types.MethodDescriptorType, types.WrapperDescriptorType = type(str.join), type(object.__init__)


def name_public(v, name):
    """Remembers by which name the script got a function, class or module: what a
    release calls it inside says nothing."""
    bound = type(v) is types.BuiltinFunctionType and not offered(v.__self__) and v.__self__ is not None
    if offered(v) and not bound and len(_public) < 5000:
        _public[id(v)] = (name, v)


def offered(v):
    """A function, class or module: what a package offers by name."""
    cls = type(v)
    return (cls is types.FunctionType or cls is types.BuiltinFunctionType
            or issubclass(cls, type) or issubclass(cls, types.ModuleType))


def plain(v):
    """A value of Python's own that is summarised element by element."""
    return id(type(v)) in _CONTAINERS or type(v) is range or type(v) is str


def number(v, n):
    """Remembers that a call gave this object."""
    cls = type(v)
    if id(cls) in _EXACT or id(cls) in _CONTAINERS or issubclass(cls, (tuple, list, dict)) or offered(v) or id(v) in _objects and is_numbered(v):
        return
    try:
        _objects[id(v)] = (n, _weakref(v))
    except TypeError:
        pass  # no weak references: its type is all that is known of it


def is_numbered(v):
    n, r = _objects[id(v)]
    return r() is v


def summary(v):
    _left[0] = NODES
    try:
        return _any(v, 0)
    except Exception:
        return {"k": "other", "t": type_root(type(v)), "v": str(_name(type(v)))}


# By identity: a class may have a metaclass with code in its __eq__ and __hash__.
_EXACT = {id(t): n for t, n in (
    (type(None), "none"), (bool, "bool"), (int, "int"), (float, "float"), (complex, "complex"), (str, "str"), (bytes, "bytes"),
    (type(Ellipsis), "ellipsis"), (type(NotImplemented), "notimplemented"))}
_CONTAINERS = {id(t): n for t, n in (
    (list, "list"), (tuple, "tuple"), (dict, "dict"), (set, "set"), (frozenset, "frozenset"), (type({}.keys()), "keys"),
    (type({}.values()), "values"), (type({}.items()), "items"))}


def _any(v, depth):
    _left[0] -= 1
    cls = type(v)
    kind = _EXACT.get(id(cls))
    if kind is not None:
        return _scalar(v, kind)
    if id(v) in _public and _public[id(v)][1] is v:
        return {"k": "public", "v": _public[id(v)][0], "t": root(v)}
    if id(cls) in _CONTAINERS:
        return _container(v, cls, depth)
    for base in (tuple, list, dict):
        if issubclass(cls, base):  # named tuples, ordered dictionaries: read below what they may override
            if base is dict:
                items = dict.items(v)
            else:
                items = [base.__getitem__(v, i) for i in range(min(base.__len__(v), ELEMENTS))]
            out = _container(items, base, depth, base.__len__(v))
            out.update(v=str(_name(cls)), t=type_root(cls))
            return out
    if cls is slice:
        return {"k": "slice", "e": [_any(v.start, depth), _any(v.stop, depth), _any(v.step, depth)]}
    if cls is range:
        return {"k": "range", "v": "%d:%d:%d" % (v.start, v.stop, v.step)}
    array = _array(v, cls)
    if array is not None:
        return array
    known = _objects.get(id(v))
    if known is not None and known[1]() is v:
        return {"k": "object", "n": known[0], "t": type_root(cls), "v": str(_name(cls))}
    if cls is types.FunctionType:
        return _function(v, depth)
    if cls is types.MethodType:
        return {"k": "method", "t": root(v), "v": str(v.__func__.__name__) if type(v.__func__) is types.FunctionType else "",
                "e": [_any(v.__self__, depth + 1)]}
    if cls is types.BuiltinFunctionType:
        self = v.__self__
        out = {"k": "builtin", "t": root(v), "v": v.__name__}
        if self is not None and type(self) is not types.ModuleType:
            out["e"] = [_any(self, depth + 1)]
        return out
    if cls is types.ModuleType or issubclass(cls, type):
        return {"k": "public", "t": root(v), "v": str(v.__name__ if cls is types.ModuleType else _name(v))}
    if issubclass(cls, BaseException):
        return exception(v, depth)
    return {"k": "other", "t": type_root(cls), "v": str(_name(cls))}


def exception(v, depth=0):
    cls = type(v)
    args = BaseException.__dict__["args"].__get__(v)
    return {"k": "exception", "t": type_root(cls), "v": str(_name(cls)), "e": [_any(a, depth + 1) for a in args[:4]]}


def _scalar(v, kind):
    if kind == "str":
        return {"k": kind, "v": v[:SHORT], "n": len(v), "h": _hash(v.encode("utf-8", "surrogatepass"))}
    if kind == "bytes":
        return {"k": kind, "n": len(v), "h": _hash(v)}
    if kind == "int" and v.bit_length() > 2048:
        return {"k": kind, "h": _hash(v.to_bytes(v.bit_length() // 8 + 1, "little", signed=True))}
    return {"k": kind, "v": repr(v)}


def _container(v, cls, depth, size=None):
    kind = _CONTAINERS[id(cls)]
    out = {"k": kind, "n": len(v) if size is None else size}
    if depth >= DEPTH or _left[0] <= 0:
        return out
    items, elements = (v.items() if type(v) is dict else v), []
    for x in items:
        if len(elements) >= ELEMENTS or _left[0] <= 0:
            break
        elements.append({"k": "pair", "e": [_any(x[0], depth + 1), _any(x[1], depth + 1)]} if cls is dict else _any(x, depth + 1))
    if cls is set or cls is frozenset:  # their order may be that of addresses
        elements.sort(key=lambda e: (e["k"], str(e.get("v")), str(e.get("h"))))
    out["e"] = elements
    return out


def _function(v, depth):
    code = v.__code__
    if _root(v.__module__) != "__main__" and (code.co_name, code.co_firstlineno) not in SOURCES:
        return {"k": "public", "t": root(v), "v": v.__name__}
    out = {"k": "source", "t": "__main__", "v": v.__name__, "h": SOURCES.get((code.co_name, code.co_firstlineno), _hash(code.co_code))}
    if depth < DEPTH and _left[0] > 0:
        cells = [c.cell_contents for c in v.__closure__ or () if _full(c)]
        used = [v.__globals__[g] for g in code.co_names if g in v.__globals__]
        # A version of a package that it looks at is a part of what it does.
        used += [x.__dict__[g] for x in used if type(x) is types.ModuleType for g in code.co_names if g in x.__dict__]
        used = [x for x in used if id(type(x)) in _EXACT]
        out["e"] = [_any(x, depth + 1) for x in cells + list(v.__defaults__ or ()) + used]
    return out


def _full(cell):
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True


def _array(v, cls):
    """An array of an exact known type, read by means that run no code of the
    script; None for anything else."""
    module, name = _module(cls), _name(cls)
    root = module.partition(".")[0] if type(module) is str else ""
    np = sys.modules.get("numpy")
    if root not in ("numpy", "torch", "jax", "jaxlib", "tensorflow") or np is None or not hasattr(np, "ndarray"):
        return _bare(v, cls) if root == "torch" and name in ("Tensor", "Parameter") else None
    if cls is np.ndarray:
        return _described(np, root, v)
    if root == "numpy":
        if issubclass(cls, np.generic):
            return {"k": "scalar", "t": root, "v": str(name) + " " + repr(v.item()) if v.dtype.kind in "biufc" else str(name),
                    "h": _hash(v.tobytes()) if v.dtype.kind in "biufcSUmM" else ""}
        return {"k": "array", "t": root, "v": "%s %s %s" % (name, v.dtype, v.shape)} if name in ("memmap", "matrix") else None
    if root == "torch" and name in ("dtype", "device", "layout"):
        return {"k": "scalar", "t": root, "v": str(v)}
    if root == "torch" and name in ("Tensor", "Parameter"):
        return _torch(np, v, cls)
    if name == "ArrayImpl":
        if v.is_deleted():
            return {"k": "array", "t": "jax", "v": "donated"}
        # A shard of its own: what numpy sees of it must not stay with the array,
        # or its buffer could not be donated any more.
        shard = v.addressable_data(0) if hasattr(v, "addressable_data") and v.is_fully_addressable else None
        if shard is None or getattr(v.dtype, "name", "").startswith("key"):
            return {"k": "array", "t": "jax", "v": "%s %s" % (v.dtype, v.shape)}
        return _described(np, "jax", np.array(shard), "%s %s" % (v.dtype, v.shape))
    if name in ("EagerTensor", "ResourceVariable"):
        tf = sys.modules["tensorflow"]
        if tf.executing_eagerly():
            return _described(np, root, v.numpy(), "%s %s" % (v.dtype.name, v.shape))
    return None


def _bare(v, cls):
    return {"k": "array", "t": "torch", "v": "%s %s" % (str(v.dtype).rpartition(".")[2], tuple(v.shape))}


def _torch(np, v, cls):
    torch = sys.modules["torch"]
    modes = getattr(torch._C, "_len_torch_dispatch_stack", None)
    if modes is not None and modes() or str(v.layout) != "torch.strided" or v.device.type != "cpu" or v.is_quantized:
        return _bare(v, cls)
    with torch._C.DisableTorchFunction():
        plain = v.detach()
        if plain.dtype == torch.bfloat16:
            plain = plain.float()
        if getattr(plain, "is_conj", lambda: False)():
            plain = plain.resolve_conj()
        return _described(np, "torch", plain.numpy(), "%s %s" % (str(v.dtype).rpartition(".")[2], tuple(v.shape)))


def _described(np, root, a, text=""):
    if type(a) is not np.ndarray:
        return {"k": "array", "t": root, "v": text}
    out = {"k": "array", "t": root, "v": text or "%s %s" % (a.dtype, a.shape), "n": a.size}
    if a.dtype.kind not in "biufcSUmM" and a.dtype.itemsize > 8 or a.dtype.hasobject:
        return out
    if a.nbytes > WHOLE:
        a = a.flat[::max(1, a.size // 65536)]  # no copy of the whole, however it lies
    out["h"] = _hash(np.ascontiguousarray(a).tobytes())
    if a.dtype.kind in "biufc" and a.size:
        flat = a.reshape(-1)
        with np.errstate(all="ignore"):
            good = flat[np.isfinite(flat)] if a.dtype.kind in "fc" else flat
            figures = [float(good.size)]
            if good.size and a.dtype.kind != "c":
                good = good.astype(np.float64)
                figures += [float(good.min()), float(good.max()), float(good.mean()), float(np.abs(good).max())]
            out["f"] = [repr(x) for x in figures]
        if a.size <= 8:
            out["e"] = [{"k": "number", "v": repr(x)} for x in flat.tolist()]
    return out
