"""Starts the observer, leaves no trace of its folder, hands over to the next."""


def _start():
    import os
    import sys

    here = os.path.dirname(os.path.abspath(__file__))
    env = os.environ
    fd = env.pop("REPGEN_PROBE_FD", "")
    options = env.pop("REPGEN_PROBE_OPTIONS", "")
    try:
        if fd:
            import repgen_probe

            try:
                repgen_probe.start(int(fd), options)
            finally:
                repgen_probe.vanish()
    except Exception:
        # A script must run the same with a broken observer; the missing start
        # record says that nothing was seen.
        pass

    # The script must not see our folder, and its own children must not load us.
    sys.path[:] = [p for p in sys.path if p != here]
    sys.path_importer_cache.pop(here, None)
    if "PYTHONPATH" in env:
        rest = [p for p in env["PYTHONPATH"].split(os.pathsep) if os.path.abspath(p or ".") != here]
        if rest:
            env["PYTHONPATH"] = os.pathsep.join(rest)
        else:
            del env["PYTHONPATH"]

    # Ours shadowed a sitecustomize further down the path: run it in our place.
    # Its errors go to site, which reports them as it would have without us.
    for finder in sys.meta_path:
        find = getattr(finder, "find_spec", None)
        spec = find("sitecustomize", None) if find else None
        if spec is None or spec.loader is None:
            continue
        module = sys.modules["_frozen_importlib"].module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)
        break


_start()
del _start
