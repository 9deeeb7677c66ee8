"""Which distributions the loaded modules came from.

The folders are read directly: importlib.metadata does not exist before 3.8 and
takes longer than the whole of this on an environment with a hundred packages.
"""
from builtins import *  # noqa: F403
import os
import sys

CAP = 200


def loaded():
    units = _units()
    found, seen = [], set()
    for folder in sorted({u[2] for u in units}):
        mine = [u for u in units if u[2] == folder]
        for module, file, dist in _claims(folder, mine):
            if dist not in seen and len(found) < CAP:
                seen.add(dist)
                name, version = _metadata(os.path.join(folder, dist))
                found.append({"name": name, "version": version, "module": module, "file": file})
    return found


def _units():
    """(module, file, site folder) of each top module that was installed."""
    units = []
    modules = list(sys.modules.items())
    namespaces = {n for n, m in modules if "." not in n and _file(m) is None and getattr(m, "__path__", None)}
    for name, module in modules:
        root, _, rest = name.partition(".")
        if rest and (root not in namespaces or "." in rest):
            continue
        file = _file(module)
        if file is None:
            continue
        for mark in ("/site-packages/", "/dist-packages/"):
            at = file.rfind(mark)
            if at >= 0:
                units.append((name, file, file[:at + len(mark) - 1]))
    return sorted(units)


def _file(module):
    try:
        file = module.__dict__.get("__file__")
    except Exception:
        return None
    return file if isinstance(file, str) else None


def _claims(folder, units):
    """Yields (module, file, metadata folder): by top_level.txt, name, RECORD."""
    try:
        dists = [d for d in os.listdir(folder) if d.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return
    owners, silent = {}, []
    for dist in dists:
        top = _read(os.path.join(folder, dist, "top_level.txt"), 4096)
        for name in top.split():
            owners.setdefault(name, []).append(dist)
        owners.setdefault(dist.split("-")[0].lower().replace(".", "_"), []).append(dist)
        if not top:
            silent.append(dist)
    records = {}
    for module, file, _ in units:
        candidates = owners.get(module) or owners.get(module.lower()) or []
        if len(candidates) != 1:
            # Two that claim a name (a namespace, a CPU variant beside its
            # twin), or none: the file lists decide.
            pool = candidates or owners.get(module.partition(".")[0]) or []
            candidates = _by_record(folder, file, pool + silent, records) or candidates
        if candidates:
            yield module, file, candidates[0]


def _by_record(folder, file, dists, records):
    inside = file[len(folder) + 1:]
    for dist in dists:
        if dist not in records:
            records[dist] = "\n" + _read(os.path.join(folder, dist, "RECORD"), 4 << 20)
        if "\n" + inside + "," in records[dist]:
            return [dist]
    return []


def _metadata(path):
    """Name and version; the folder's own name is the fallback."""
    base = os.path.basename(path).rsplit(".", 1)[0]
    name, _, version = base.partition("-")
    text = _read(os.path.join(path, "METADATA"), 4096) or _read(os.path.join(path, "PKG-INFO"), 4096)
    text = text or _read(path, 4096)
    for line in text.split("\n"):
        if not line.strip():
            break
        if line.startswith("Name:"):
            name = line[5:].strip()
        elif line.startswith("Version:"):
            version = line[8:].strip()
    return name, version


def _read(path, limit):
    try:
        with open(path, "rb") as f:
            return f.read(limit).decode("utf-8", "replace").replace("\r", "")
    except OSError:
        return ""
