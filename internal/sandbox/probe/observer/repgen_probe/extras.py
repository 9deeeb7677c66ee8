"""What only some executions ask for: stack samples of a hang, pinned seeds."""
import _thread
import faulthandler
import os
import sys
from builtins import *  # noqa: F403
from sys import _current_frames
from time import sleep  # the script may put another in its place

import repgen_probe as probe

QUARTERS = 4
DEPTH = 100  # frames of a thread, as many as faulthandler writes


def _thread_now(ident, frame, main):
    """One thread, innermost frame first, as faulthandler writes them."""
    frames = []
    while frame is not None and len(frames) < DEPTH:
        code = frame.f_code
        frames.append({"file": code.co_filename[:500], "line": frame.f_lineno or 0, "function": code.co_name[:500]})
        frame = frame.f_back
    return {"thread": "0x%x" % ident, "main": ident == main, "frames": frames}


def _threads(main):
    """All threads but the one that asks; no frame is held longer than that."""
    own = _thread.get_ident()
    return [_thread_now(i, frame, main) for i, frame in _current_frames().items() if i != own]


def _sample(every, main):
    """A child's samples. The timed dump cannot be set anew after a fork: it
    waits for the parent's watching thread, which is not there. Each sample is
    one record in one piece, because the parent's dump is written in pieces to
    the same channel at the same time."""
    def go_on():
        while probe.is_open():
            sleep(every)
            probe.send("stacks", {"threads": _threads(main)})

    probe.quietly(go_on)


def _sample_child(every):
    _thread.start_new_thread(_sample, (every, _thread.get_ident()))


def stacks(fd, after):
    """Dumps all threads every quarter of `after` seconds; the reader leaves out
    what came before `after`."""
    every = int(after / QUARTERS * 1000) / 1000.0
    # A C thread without the lock of the interpreter: it also sees a call that
    # holds the lock and never returns.
    faulthandler.dump_traceback_later(every, repeat=True, file=fd)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=probe.hide(lambda: _sample_child(every)))


def _numpy(seed):
    sys.modules["numpy"].random.seed(seed)


def _torch(seed):
    sys.modules["torch"].manual_seed(seed)


def _tensorflow(seed):
    sys.modules["tensorflow"].random.set_seed(seed)


def _keras(seed):
    sys.modules["keras"].utils.set_random_seed(seed)


# Generators that draw from the system when they are made (numpy's default_rng()
# and jax's keys, which are always given) have no seed to pin.
_SEEDERS = {"numpy": _numpy, "torch": _torch, "tensorflow": _tensorflow, "keras": _keras}


def _find(seed):
    """Finds what the others find and seeds a library right after its import,
    before the script sees it."""

    def find_spec(name, path=None, target=None):
        seeder = _SEEDERS.get(name)
        if seeder is None:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find and id(find) not in probe.hidden else None
            if spec is not None:
                _wrap(spec.loader, seeder, seed)
                return spec
        return None

    return find_spec


def _wrap(loader, seeder, seed):
    run = getattr(loader, "exec_module", None)
    if run is None:
        return

    def exec_module(module):
        run(module)
        try:
            seeder(seed)
        except Exception:
            pass  # an old release without that function: not pinned

    try:
        loader.exec_module = probe.hide(exec_module)
    except AttributeError:
        pass


def seeds(seed):
    import random  # no line of the script has run

    random.seed(seed)
    sys.meta_path.insert(0, type(sys.implementation)(find_spec=probe.hide(_find(seed))))
