"""Whether the code of a frame is what the file that it names holds.

A code object only says where it comes from. One that a script has made can name
a library's file, and what it raises would be taken for the library's doing.
"""
from builtins import *  # noqa: F403
import _imp
import marshal
import os
import sys

FILES = 8  # read for one process
SIZE = 4 << 20  # of one file

# numpy 1.17 and later write their dispatchers like this, until they give one of
# their own functions another name.
DISPATCHER = """
@functools.wraps(implementation)
def {0}(*args, **kwargs):
    relevant_args = dispatcher(*args, **kwargs)
    return implement_array_function(
        implementation, {0}, relevant_args, args, kwargs)
"""

_read, _compile, _loads = open, compile, marshal.loads
_trees = {}


def mark(items, records):
    """Marks the frames, from the raising one outwards to the first that is an
    installed package's, whose code is not their file's."""
    for i in range(len(items) - 1, -1, -1):
        frame, code = items[i][0], items[i][0].f_code
        file = code.co_filename
        installed = "-packages/" in file
        if frame.f_globals.get("__name__") == "__main__" and not installed:
            return
        try:
            if not _genuine(code, file, i == len(items) - 1):
                records[i]["altered"] = True
        except Exception:
            pass  # what cannot be read says nothing
        if installed:
            return


def _genuine(code, file, raising):
    if file.startswith("<frozen "):
        return _among(code, _frozen(file[8:-1]))
    if file.startswith("<__array_function__"):
        return _dispatches(code, file)
    if file.startswith("<"):
        return not raising  # made from a string: nothing says by whom
    if file.endswith(".py") and os.path.isabs(file) and (os.path.exists(file) or not _bare(code)):
        return file not in _trees and len(_trees) >= FILES or _among(code, _of_file(file))
    return _bare(code)


def _dispatches(code, file):
    if _among(code, _index(_compile(DISPATCHER.format(code.co_name), file, "exec", 0, True))):
        return True
    writer = sys.modules.get("numpy.core.overrides")
    if writer is None:
        return False  # nobody here writes such code
    tree = _of_file(writer.__file__)
    return any(_same(code, c) for c in tree.get(("public_api", code.co_firstlineno), ()))


def _bare(code):
    """Compiled code makes a frame for tracebacks, with nothing in it."""
    return not code.co_names and not [c for c in code.co_consts if c is not None]


def _of_file(file):
    if file not in _trees:
        _trees[file] = _index(_cached(file) or _compiled(file))
    return _trees[file]


def _cached(file):
    """What the interpreter loads: the compiled file beside the source."""
    folder, name = os.path.split(file)
    path = "%s/__pycache__/%s.%s.pyc" % (folder, name[:-3], sys.implementation.cache_tag)
    magic = sys.modules["_frozen_importlib_external"].MAGIC_NUMBER
    try:
        with _read(path, "rb") as f:
            data = f.read(SIZE)
    except OSError:
        return None
    if data[:4] != magic:
        return None
    return _loads(data[12 if sys.version_info < (3, 7) else 16:])


def _compiled(file):
    with _read(file, "rb") as f:
        return _compile(f.read(SIZE), file, "exec", 0, True)


def _frozen(name):
    own = {"importlib._bootstrap": "_frozen_importlib", "importlib._bootstrap_external": "_frozen_importlib_external"}
    for n in (name, own.get(name)):
        try:
            return _index(_imp.get_frozen_object(n))
        except Exception:
            continue
    return {}


def _index(code):
    """Every code object of a module by its name and first line."""
    found, rest = {}, [code]
    while rest:
        c = rest.pop()
        found.setdefault((c.co_name, c.co_firstlineno), []).append(c)
        rest.extend(x for x in c.co_consts if isinstance(x, type(code)))
    return found


def _among(code, tree):
    return any(_same(code, c) for c in tree.get((code.co_name, code.co_firstlineno), ()))


def _same(a, b):
    return (a.co_code == b.co_code and a.co_names == b.co_names and a.co_varnames == b.co_varnames
            and a.co_freevars == b.co_freevars and _plain(a) == _plain(b))


def _plain(code):
    """The constants that have one repr: nested code and sets have not."""
    return [repr(c) for c in code.co_consts if not isinstance(c, (type(code), frozenset))]
