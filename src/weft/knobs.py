"""What may be set from outside: hooks around launches, and what the environment says.

    weft.knobs.runtime.launch_enter_hook.add(lambda metadata: print(metadata.get()["name"]))
    weft.knobs.cache.dir                  # WEFT_CACHE_DIR, else the user's cache directory
    weft.knobs.autotuning.print           # WEFT_PRINT_AUTOTUNING=1

The names are those of `triton.knobs`. A variable of the environment is read when it is asked for,
under weft's name, else under Triton's where it means the same; a value that is assigned goes first.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

from weft.errors import WeftError, did_you_mean

__all__ = ["Hooks", "autotuning", "cache", "runtime"]

_OFF = ("", "0", "false", "off", "no")
_ON = ("1", "true", "on", "yes")

Value = TypeVar("Value")


class Hooks:
    """Functions that are called one after another; `last_first` turns the order around."""

    __slots__ = ("calls", "last_first")

    def __init__(self, last_first: bool = False) -> None:
        self.calls: list[Callable[..., object]] = []
        self.last_first = last_first

    def add(self, hook: Callable[..., object]) -> None:
        """Call `hook` from now on; a second time changes nothing."""
        if hook not in self.calls:
            self.calls.append(hook)

    def remove(self, hook: Callable[..., object]) -> None:
        """Call `hook` no longer, if it is there."""
        if hook in self.calls:
            self.calls.remove(hook)

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Call them all."""
        for hook in reversed(self.calls) if self.last_first else tuple(self.calls):
            hook(*args, **kwargs)

    def __bool__(self) -> bool:
        return bool(self.calls)


class _HooksOf:
    """A chain of hooks that may be assigned to: a function is the only one then, None is none."""

    def __init__(self, last_first: bool = False) -> None:
        self.chain = Hooks(last_first)

    def __get__(self, owner: object, kind: type | None = None) -> Hooks:
        return self.chain

    def __set__(self, owner: object, hook: Callable[..., object] | None) -> None:
        if hook is not self.chain:
            self.chain.calls[:] = [] if hook is None else [hook]


class _Setting(Generic[Value]):
    """A value of the environment, under the first of several names; or what is assigned.

    Args: read: from the text to the value; raises ValueError with what is accepted.
          names: of the variables.  default: what holds where none is set.
    """

    def __init__(
        self, read: Callable[[str], Value], default: Callable[[], Value], *names: str
    ) -> None:
        self.read, self.default, self.names = read, default, names
        self.assigned: Value | None = None

    @overload
    def __get__(self, owner: None, kind: type | None = None) -> _Setting[Value]: ...
    @overload
    def __get__(self, owner: object, kind: type | None = None) -> Value: ...
    def __get__(self, owner: object, kind: type | None = None) -> Any:
        if owner is None:
            return self
        if self.assigned is not None:
            return self.assigned
        for name in self.names:
            text = os.environ.get(name)
            if text is not None:
                try:
                    return self.read(text)
                except ValueError as error:
                    raise WeftError(
                        f"the environment's {name} cannot be read",
                        found=f"{name}={text}",
                        accepted=error.args[0],
                    ) from None
        return self.default()

    def __set__(self, owner: object, value: Value | None) -> None:
        self.assigned = value


def _flag(text: str) -> bool:
    if text.strip().lower() not in (*_ON, *_OFF):
        raise ValueError(("1", "0", "true", "false", "on", "off"))
    return text.strip().lower() in _ON


def _directory(text: str) -> Path:
    if not text.strip():
        raise ValueError(("the path of a directory",))
    return Path(text).expanduser().absolute()


def _cache_directory() -> Path:
    """Return where programs of this user keep what can be made again."""
    if sys.platform == "darwin":
        base = Path("~/Library/Caches")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    try:
        return base.expanduser().absolute() / "weft"
    except RuntimeError:  # a user without a home
        return Path(tempfile.gettempdir()) / f"weft-{os.getuid()}"


class _Knobs:
    """A group of knobs: what is none of them cannot be set, since nothing would heed it."""

    def __setattr__(self, name: str, value: object) -> None:
        known = [each for each in vars(type(self)) if not each.startswith("_")]
        if name not in known:
            raise WeftError(
                f"no knob is called {name}",
                found=f"{name} = {value!r}",
                accepted=known,
                hint=did_you_mean(name, known),
            )
        super().__setattr__(name, value)


class _Runtime(_Knobs):
    """Hooks around launches and loading; each launch hook takes what `LaunchMetadata` says."""

    launch_enter_hook = _HooksOf()
    launch_exit_hook = _HooksOf(last_first=True)
    kernel_load_start_hook = _HooksOf()
    kernel_load_end_hook = _HooksOf(last_first=True)


class _Cache(_Knobs):
    """dir: where compiled kernels and choices of autotune are kept."""

    dir = _Setting(_directory, _cache_directory, "WEFT_CACHE_DIR")


class _Autotuning(_Knobs):
    """print: show what was tried.  cache: keep all choices on disk, as cache_results=True does."""

    print = _Setting(_flag, lambda: False, "WEFT_PRINT_AUTOTUNING", "TRITON_PRINT_AUTOTUNING")
    cache = _Setting(_flag, lambda: False, "WEFT_CACHE_AUTOTUNING", "TRITON_CACHE_AUTOTUNING")


runtime, cache, autotuning = _Runtime(), _Cache(), _Autotuning()
