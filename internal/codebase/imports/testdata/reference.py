"""Resolves "from module import name" by Python's own ast, the plain way.

Arguments: the folder that the packages lie in, and the package. Prints every
name of every module with where it is defined, when that is in the package.
"""
import ast
import json
import os
import sys

root, package = sys.argv[1], sys.argv[2]
trees = {}


def path_of(module):
    base = os.path.join(root, *module.split("."))
    for path in (os.path.join(base, "__init__.py"), base + ".py"):
        if os.path.isfile(path):
            return path
    return None


def tree(module):
    if module not in trees:
        with open(path_of(module), encoding="utf-8") as f:
            trees[module] = ast.parse(f.read())
    return trees[module]


def statements(body):
    """Those of the module's level: of an if or try the first branch first."""
    for node in body:
        yield node
        for part in ("orelse", "finalbody", "handlers", "body"):
            if isinstance(node, (ast.If, ast.Try)):
                for inner in getattr(node, part, []):
                    yield from statements(inner.body if isinstance(inner, ast.ExceptHandler) else [inner])


def absolute(module, node):
    if not node.level:
        return node.module
    parts = module.split(".")
    if not path_of(module).endswith("__init__.py"):
        parts = parts[:-1]
    parts = parts[: len(parts) - node.level + 1]
    return ".".join(parts + ([node.module] if node.module else []))


def resolve(module, name, seen=()):
    """(module, line of the definition) or None."""
    if path_of(module) is None or (module, name) in seen:
        return None
    seen = seen + ((module, name),)
    found = None
    for node in statements(tree(module).body):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)) and node.name == name:
            first = min([node.lineno] + [d.lineno for d in node.decorator_list])
            found = (module, first)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    found = found or (None if name.startswith("_") else resolve(absolute(module, node), name, seen))
                elif (alias.asname or alias.name) == name:
                    found = resolve(absolute(module, node), alias.name, seen) or found
    return found


for folder, folders, files in os.walk(os.path.join(root, package)):
    folders.sort()
    for file in sorted(files):
        if not file.endswith(".py"):
            continue
        module = os.path.relpath(os.path.join(folder, file), root)[:-3].replace(os.sep, ".").removesuffix(".__init__")
        for node in statements(tree(module).body):
            for alias in node.names if isinstance(node, ast.ImportFrom) else []:
                name = alias.asname or alias.name
                found = resolve(module, name)
                if name != "*" and found:
                    file_of = os.path.relpath(path_of(found[0]), root)
                    json.dump({"module": module, "name": name, "file": file_of, "line": found[1]}, sys.stdout)
                    print()
