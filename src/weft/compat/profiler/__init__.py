"""How long each kernel of a program takes, by where it is launched from: Proton's names.

    start("matmul", hook="triton")        # scripts: import triton.profiler as proton
    with scope("warm", {"flops": 2e9}):
        kernel[grid](…)
    finalize()                            # matmul.hatchet; see profiler_viewer.py

A kernel of weft's is timed from its launch to its end, on a GPU between two events of its stream.
What other libraries run inside of a scope is timed as the scope's own, if no kernel of weft's is.
With hook="triton", what a kernel's `launch_metadata` says (its name, flops, bytes) counts as well.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from weft import knobs
from weft.errors import LaunchError
from weft.launch.devices import current_gpu, torch_stream
from weft.launch.drivers.cuda.driver import CudaDriver

__all__ = [
    "activate",
    "deactivate",
    "enter_scope",
    "exit_scope",
    "finalize",
    "profile",
    "scope",
    "start",
]

DEFAULT_PROFILE_NAME = "proton"
_TIME, _COUNT = "time (ns)", "count"
_NOT_NUMBERS = ("name", "function", "stream")

Span = tuple[Any, Any, int | None]
"""Marks of a start and an end, and the GPU whose events they are."""


@dataclass(slots=True)
class Node:
    """A scope or a kernel, with what ran in it.

    metrics: sums of what was said of it.  spans: when it ran.
    """

    name: str
    children: dict[str, Node] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    is_kernel: bool = False

    def child(self, name: str) -> Node:
        """Return what runs inside under a name."""
        return self.children.setdefault(name, Node(name))

    def add(self, metrics: Mapping[str, float]) -> None:
        """Add what is said of one run."""
        for name, value in metrics.items():
            self.metrics[name] = self.metrics.get(name, 0) + value

    def has_kernels(self) -> bool:
        """Return whether a kernel of weft's ran in it."""
        return self.is_kernel or any(each.has_kernels() for each in self.children.values())

    def plain(self) -> dict[str, Any]:
        """Return it as the file says it; spans become times."""
        metrics: dict[str, float] = dict(self.metrics)
        if self.spans and (self.is_kernel or not self.has_kernels()):
            metrics[_TIME] = sum(map(_nanoseconds, self.spans))
            metrics[_COUNT] = len(self.spans)
        return {
            "frame": {"name": self.name, "type": "function"},
            "metrics": metrics,
            "children": [each.plain() for each in self.children.values()],
        }


@dataclass(slots=True)
class _Session:
    name: str
    asks: bool
    is_active: bool = True
    root: Node = field(default_factory=lambda: Node("ROOT"))


_sessions: dict[int, _Session] = {}
_numbers = count()
_scopes: list[tuple[str, Any, Mapping[str, float]]] = []
_kernels: list[Any] = []


def start(
    name: str | None = None,
    *,
    context: str = "shadow",
    data: str = "tree",
    backend: str | None = None,
    mode: str | None = None,
    hook: str | None = None,
) -> int:
    """Begin a session, which is active; return its number.

    Args: name: of the file, without its ending.  hook: "triton": ask kernels' launch_metadata.
    Raises: LaunchError: another context than the scopes ("shadow"), other data than a tree, or a
            backend or mode, of which there are none here.
    """
    for what, found, accepted in (
        ("context", context, ("shadow",)),
        ("data", data, ("tree",)),
        ("backend", backend, (None,)),
        ("mode", mode, (None,)),
        ("hook", hook, (None, "triton")),
    ):
        if found not in accepted:
            raise LaunchError(f"unknown {what} of a profile", found=found, accepted=accepted)
    number = next(_numbers)
    _sessions[number] = _Session(name or DEFAULT_PROFILE_NAME, hook is not None)
    knobs.runtime.launch_enter_hook.add(_enter_kernel)
    knobs.runtime.launch_exit_hook.add(_exit_kernel)
    return number


def activate(session: int | None = None) -> None:
    """Record from now on, in one session or in all."""
    for each in _chosen(session):
        each.is_active = True


def deactivate(session: int | None = None, flushing: bool = False) -> None:
    """Record nothing, in one session or in all, until it is activated again.

    Args: flushing: wait for what the GPU still does.
    """
    for each in _chosen(session):
        each.is_active = False
    if flushing and (gpu := current_gpu()) is not None:
        CudaDriver.get().synchronize(torch_stream(gpu) or 0)


def finalize(session: int | None = None, output_format: str = "hatchet") -> None:
    """End one session or all, and write what each saw to NAME.hatchet.

    Raises: LaunchError: another format, or no such session.
    """
    if output_format not in ("", "hatchet"):
        raise LaunchError("unknown format of a profile", found=output_format, accepted=["hatchet"])
    for each in _chosen(session):
        database = [each.root.plain(), {}]
        Path(f"{each.name}.hatchet").write_text(json.dumps(database, indent=1))
    for number in [session] if session is not None else list(_sessions):
        del _sessions[number]
    if not _sessions:
        knobs.runtime.launch_enter_hook.remove(_enter_kernel)
        knobs.runtime.launch_exit_hook.remove(_exit_kernel)


def _chosen(session: int | None) -> list[_Session]:
    if session is None:
        return list(_sessions.values())
    if session not in _sessions:
        raise LaunchError("no such profile", found=session, accepted=_sessions)
    return [_sessions[session]]


def _active() -> list[_Session]:
    return [each for each in _sessions.values() if each.is_active]


def enter_scope(name: str, *, metrics: Mapping[str, float] | None = None) -> None:
    """Let what follows count under a name, until the scope is left."""
    _scopes.append((name, _mark(None), metrics or {}))


def exit_scope(name: str | None = None, *, metrics: Mapping[str, float] | None = None) -> None:
    """Leave the innermost scope.

    Raises: LaunchError: there is none, or it is called otherwise.
    """
    if not _scopes or name not in (None, _scopes[-1][0]):
        raise LaunchError(
            "no such scope to leave", found=name, accepted=[each[0] for each in _scopes[-1:]]
        )
    _, begun, said = _scopes[-1]
    end = _mark(None)
    for session in _active():
        node = _node(session)
        node.spans.append((begun[0], end[0], end[1]))
        node.add({**said, **(metrics or {})})
    _scopes.pop()


@contextmanager
def scope(name: str, metrics: Mapping[str, float] | None = None) -> Iterator[None]:
    """Let what runs in the block, or in the function that is decorated, count under a name.

    Args: metrics: of one run, such as "flops" and "bytes".
    """
    enter_scope(name, metrics=metrics)
    try:
        yield
    finally:
        exit_scope(name)


def profile(func: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Make a session of every call of a function; the options are those of `start`."""
    if func is None:
        return lambda function: profile(function, **options)

    def profiled(*args: Any, **kwargs: Any) -> Any:
        session = start(**options)
        try:
            return func(*args, **kwargs)
        finally:
            finalize(session)

    return profiled


def _node(session: _Session) -> Node:
    """Return the innermost scope of a session."""
    node = session.root
    for name, _, _ in _scopes:
        node = node.child(name)
    return node


def _mark(stream: int | None) -> tuple[Any, int | None]:
    """Return a mark of now, and the GPU whose event it is; None for this process's clock.

    Args: stream: of a launch; None for torch's current one.
    """
    gpu = current_gpu()
    if gpu is None:
        return time.perf_counter_ns(), None
    driver = CudaDriver.get()
    with driver.on(gpu):
        event = driver.timed_event()
        driver.record(event, (torch_stream(gpu) or 0) if stream is None else stream)
    return event, gpu


def _nanoseconds(span: Span) -> float:
    begun, end, gpu = span
    if gpu is None:
        return float(end - begun)
    driver = CudaDriver.get()
    with driver.on(gpu):
        return driver.elapsed_ms(begun, end) * 1e6


def _enter_kernel(said: Any) -> None:
    _kernels.append(_mark(said.data["stream"]))


def _exit_kernel(said: Any) -> None:
    begun, gpu = _kernels.pop()
    end, _ = _mark(said.data["stream"])
    for session in _active():
        told = said.get() if session.asks else said.data
        node = _node(session).child(told["name"])
        node.is_kernel = True
        node.spans.append((begun, end, gpu))
        node.add({name: value for name, value in told.items() if name not in _NOT_NUMBERS})
