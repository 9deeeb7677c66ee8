#!/usr/bin/env python
# -*- coding: utf-8 -*-
"""Callbacks of a training loop.

A made-up module with the shapes that real ones have.
"""

from __future__ import annotations

import collections
import os, sys
from typing import (
    Any,
    Callable,  # the function's type
)

try:
    import numpy as np
except ImportError:
    np = None

if sys.version_info >= (3, 8):
    from functools import cached_property
else:
    def cached_property(func):
        """A stand-in."""
        return property(func)

__all__ = ["Callback", 'History',
           "EarlyStopping"]

LIMITS = {
    "patience": (0, 100),
    # from the paper
    "delta": [
        1e-3,
        1e-4],
}


def _register(name: str, *, package="Custom") -> Callable:
    r"""Registers \d classes.

    >>> @_register("x")
    ... class X:
    ...     pass
    """

    def decorate(cls):
        def inner(): return cls
        cls._name = f"{package}>{name!r:>{10}}"
        return cls

    return decorate


@_register("callback")
class Callback:
    '''The base class.'''

    model = None; params: dict[str, Any] = {}

    def __init__(self): self.validation_data = None

    def set_model(
        self,
        model,  # )
        **kwargs: Any,
    ) -> None:
        self.model = model

    @property
    def history(self):
        # A comment first.
        """Not the first statement of the file, but a docstring."""
        return self._history

    @history.setter
    # between them
    @_register(
        "setter",
        package="a:b",
    )
    def history(self, value): self._history = value

    class Config(object):
        """Nested."""

        def get(self, key, default=None):
            return {
                **self.__dict__
            }.get(key, default)

        x = 1

    if np is not None:

        def mean(self, xs):
            return np.mean(xs)

    else:

        def mean(self, xs):
            return sum(xs) / len(xs)

    async def on_epoch_end(self, epoch, logs=None):
        async with self.lock:
            async for item in self.queue:
                await item
        for i in range(3):
            pass
        else:
            print("done", file=sys.stderr)
        while True: break
        try:
            value = logs["loss"]
        except (KeyError, TypeError) as e:
            raise ValueError(
                "no loss in "
                f"{', '.join(sorted(logs))}"
            ) from e
        finally:
            pass
# a comment at the margin
        return value if value > 0 \
            else -value


class EarlyStopping(Callback): pass


def report(x):
    match x:
        case {"loss": float(loss)} if loss > 0:
            return loss
        case [first, *rest]:
            pass
        case _: return None
    text = """
def not_a_function():
    return 'it isn\'t'
""" + '''
class NeitherThis:
'''
    lookup = lambda k: (
        k
    )
    return text, lookup; unreachable = 1


if __name__ == "__main__":
    with open(os.devnull) as f, \
            open(os.devnull) as g:
        report(f)
    History = collections.OrderedDict
