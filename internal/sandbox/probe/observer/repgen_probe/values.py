"""Values as data: scalars whole, arrays summarised, nothing imported.

Libraries are recognised by the module of the value's type and used only when
they are already in sys.modules. Nothing here may raise into the script.
"""
from builtins import *  # noqa: F403
import sys
from _blake2 import blake2b

import repgen_probe as probe

from . import qualified

ELEMENTS = 1000000  # larger arrays are described, not read
WHOLE = 64  # elements written out
OBSERVATIONS = 1000
ARRAYS = 100
TEXT = 4096

_count = 0


def observe(name, value):
    global _count
    if _count < OBSERVATIONS:
        _count += 1
        probe.send("obs", summary(name[:200], value))


def snapshot(names, tb):
    """Watched names and arrays of __main__; locals of a raising frame win."""
    main = sys.modules.get("__main__")
    scope = dict(getattr(main, "__dict__", {}))
    inner = None
    while tb is not None:
        if tb.tb_frame.f_globals.get("__name__") == "__main__":
            inner = tb.tb_frame
        tb = tb.tb_next
    if inner is not None:
        scope.update(inner.f_locals)
    for name in names[:200]:
        found, value = _evaluate(name, scope)
        if found:
            probe.send("name", summary(name, value))
    sent = 0
    for name, value in list(scope.items()):
        if sent >= ARRAYS:
            break
        if isinstance(name, str) and not name.startswith("__"):
            described = _guard(_describe, value)
            if described is not None:
                sent += 1
                described.update(name=name, kind="array", type=qualified(type(value)))
                probe.send("array", described)


def _evaluate(text, scope):
    """(found, value) of a name with attributes and constant subscripts."""
    if text in scope:
        return True, scope[text]
    try:
        # 0x400 is ast.PyCF_ONLY_AST: the tree without importing ast.
        node = compile(text, "<watch>", "eval", 0x400).body
        return True, _walk(node, scope)
    except Exception:
        return False, None


def _walk(node, scope):
    kind = type(node).__name__
    if kind == "Name":
        return scope[node.id]
    if kind == "Attribute":
        return getattr(_walk(node.value, scope), node.attr)
    if kind == "Subscript":
        base = _walk(node.value, scope)
        if not isinstance(base, (list, tuple, dict, str)) and not _library(base):
            raise TypeError("no subscripts of a stranger")
        return base[_index(node.slice)]
    raise TypeError(kind)


def _index(node):
    kind = type(node).__name__
    if kind == "Index":  # 3.8 and older wrap the subscript
        return _index(node.value)
    if kind == "Constant":
        return node.value
    if kind == "Num":
        return node.n
    if kind == "Str":
        return node.s
    if kind == "UnaryOp" and type(node.op).__name__ == "USub":
        return -_index(node.operand)
    if kind == "Tuple":
        return tuple(_index(e) for e in node.elts)
    raise TypeError(kind)


def _guard(f, *args):
    try:
        return f(*args)
    except Exception:
        return None


def summary(name, value):
    """One observation (record.go gives the fields)."""
    out = {"name": name, "kind": "object", "type": qualified(type(value))}
    out.update(_guard(_scalar, value) or _guard(_array, value) or _guard(_describe, value)
               or _guard(_sequence, value) or {"text": _type_only(value)})
    return out


def _type_only(value):
    return "<%s>" % qualified(type(value))


def number(x):
    """Text that comes back exactly; nan, inf and -inf as those."""
    if isinstance(x, complex):
        return repr(x)
    if isinstance(x, float):
        return float.__repr__(float(x))
    return str(x)[:200]


def _scalar(v):
    if v is None:
        return {"kind": "none", "text": "None"}
    if isinstance(v, bool):
        return {"kind": "bool", "text": str(v)}
    if type(v) is int or (isinstance(v, int) and not _library(v)):
        if int(v).bit_length() > 4096:
            return {"kind": "int", "text": hex(int(v))[:TEXT]}
        return {"kind": "int", "text": int.__repr__(int(v))}
    if type(v) is float or type(v) is complex:
        return {"kind": type(v).__name__, "text": number(v)}
    if isinstance(v, str):
        return {"kind": "str", "text": str(v)[:TEXT], "size": len(v)}
    np = sys.modules.get("numpy")
    if np is not None and isinstance(v, np.generic) and not isinstance(v, (np.str_, np.bytes_)):
        item = v.item()
        kind = type(item).__name__
        if kind in ("bool", "int", "float", "complex"):
            return {"kind": kind, "text": number(item), "dtype": str(v.dtype)}
        if v.dtype.kind == "f":  # long double stays a numpy value
            return {"kind": "float", "text": str(v), "dtype": str(v.dtype)}
    return None


def _library(v):
    """The array library a value belongs to, "" for none."""
    for cls in type(v).__mro__:
        root = (cls.__module__ or "").partition(".")[0]
        if root in ("numpy", "torch", "jax", "jaxlib", "tensorflow", "pandas", "cupy", "xarray", "keras", "ml_dtypes"):
            return root
    return ""


def _describe(v):
    """dtype, shape and size of an array, no element read; None for others."""
    if isinstance(v, type) or not _library(v):
        return None
    shape, dtype = getattr(v, "shape", None), getattr(v, "dtype", None)
    if shape is None or dtype is None or callable(shape):
        return None
    if hasattr(shape, "as_list"):
        shape = shape.as_list()
    dims = [int(n) if n is not None else -1 for n in shape]
    size = 1
    for n in dims:
        size *= n
    name = getattr(dtype, "name", None)
    text = name if isinstance(name, str) else str(dtype)
    return {"dtype": text.rpartition(".")[2], "shape": dims, "size": size}


def _array(v):
    out = _describe(v)
    if out is None:
        return None
    out["kind"] = "array"
    if not 0 <= out["size"] <= ELEMENTS:
        return out
    np = sys.modules.get("numpy")
    if np is None:
        values = v.detach().flatten().tolist() if _library(v) == "torch" and out["size"] <= WHOLE else []
        out["values"] = [number(x) for x in values]
        return out
    a = _guard(_numpy, np, v)
    if a is not None:
        with np.errstate(all="ignore"):
            out.update(_statistics(np, a))
    return out


def _numpy(np, v):
    library = _library(v)
    if library == "torch":
        v = v.detach()
        if getattr(v, "is_sparse", False):
            v = v.to_dense()
        v = v.cpu().resolve_conj() if hasattr(v, "resolve_conj") else v.cpu()
        a = (v.float() if "bfloat16" in str(v.dtype) else v).numpy()
    elif library == "pandas":
        a = v.to_numpy()
    elif library in ("tensorflow", "keras") and hasattr(v, "numpy"):
        a = v.numpy()
    elif library == "cupy":
        a = v.get()
    else:
        a = np.asarray(v)
    a = np.asarray(a)
    if a.dtype.kind == "V" and a.dtype.names is None:
        a = a.astype(np.float32)  # bfloat16 and the 8-bit floats of ml_dtypes
    return a


def _statistics(np, a):
    out = {}
    flat = a.reshape(-1)
    if a.size <= WHOLE:
        out["values"] = [number(x) for x in flat.tolist()]
    if a.dtype.kind in "fc":
        finite = flat[np.isfinite(flat)]
        out["finite"] = int(finite.size)
        flat = finite
    if a.dtype.kind in "fiub" and flat.size:
        out["min"], out["max"] = number(flat.min().item()), number(flat.max().item())
        out["mean"] = number(float(flat.mean(dtype=np.float64)))
    if a.dtype.kind in "fciubmM":
        out["hash"] = blake2b(np.ascontiguousarray(a).tobytes(), digest_size=16).hexdigest()
    return out


def _sequence(v):
    if isinstance(v, (list, tuple, set, frozenset)):
        items = [_element(x) for x in list(v)[:WHOLE]]
    elif isinstance(v, dict):
        items = [_element(k) + ": " + _element(x) for k, x in list(v.items())[:WHOLE]]
    else:
        return None
    return {"kind": "sequence", "size": len(v), "shape": [len(v)], "values": items}


def _element(x):
    scalar = _guard(_scalar, x)
    if scalar is not None:
        return repr(x)[:200] if isinstance(x, str) else scalar["text"]
    if isinstance(x, (list, tuple, dict, set)):
        return "%s[%d]" % (type(x).__name__, len(x))
    return _type_only(x)
