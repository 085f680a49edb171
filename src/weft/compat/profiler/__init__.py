"""`triton.profiler` (Proton): the time of each kernel, by the scopes that launch it.

    start("matmul", hook="triton")        # programs: import triton.profiler as proton
    with scope("warm", {"flops": 2e9}):
        kernel[grid](…)
    finalize()                            # matmul.hatchet; see viewer.py

A kernel of weft is timed from its launch to its end, on a GPU by two events on its stream. A scope
without such kernels is timed itself, so that work of other libraries counts. With hook="triton" the
metadata of a kernel's `launch_metadata` (name, flops, bytes) counts, too.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from weft import knobs
from weft.errors import LaunchError
from weft.launch.devices import current_gpu
from weft.launch.drivers.cuda.driver import CudaDriver
from weft.launch.hooks import LaunchMetadata
from weft.launch.streams import torch_stream

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
_NOT_METRICS = ("name", "function", "stream")


class TimeMark(NamedTuple):
    """A point in time.

    Attributes:
        clock: An event of a GPU, or the host's clock in ns.
        gpu: The number of the GPU; None for the host's clock.
    """

    clock: Any
    gpu: int | None


class Span(NamedTuple):
    """The time between two marks."""

    start: TimeMark
    end: TimeMark


class OpenScope(NamedTuple):
    """A scope that was entered and not left."""

    name: str
    start: TimeMark
    metrics: Mapping[str, float]


@dataclass(slots=True)
class Node:
    """A scope or a kernel, with what ran in it.

    Attributes:
        name: Name of the scope or the kernel.
        children: What ran in it, by name.
        metrics: Sums of the metrics of all runs.
        spans: The times of all runs.
        is_kernel: Whether it is a kernel.
    """

    name: str
    children: dict[str, Node] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    is_kernel: bool = False

    def child(self, name: str) -> Node:
        """Get the child of a name; the first use creates it."""
        return self.children.setdefault(name, Node(name))

    def add(self, span: Span, metrics: Mapping[str, float]) -> None:
        """Add a run."""
        self.spans.append(span)
        for name, value in metrics.items():
            self.metrics[name] = self.metrics.get(name, 0) + value

    def has_kernels(self) -> bool:
        """Check whether a kernel of weft ran in it."""
        return self.is_kernel or any(child.has_kernels() for child in self.children.values())

    def as_json(self) -> dict[str, object]:
        """Convert it to the form of the file, with times in place of spans."""
        metrics: dict[str, float] = dict(self.metrics)
        if self.spans and (self.is_kernel or not self.has_kernels()):
            metrics[_TIME] = sum(map(_nanoseconds, self.spans))
            metrics[_COUNT] = len(self.spans)
        return {
            "frame": {"name": self.name, "type": "function"},
            "metrics": metrics,
            "children": [child.as_json() for child in self.children.values()],
        }


@dataclass(slots=True)
class _Session:
    name: str
    uses_launch_metadata: bool
    is_active: bool = True
    root: Node = field(default_factory=lambda: Node("ROOT"))


_sessions: dict[int, _Session] = {}
_numbers = count()
_open_scopes: list[OpenScope] = []
_kernel_starts: list[TimeMark] = []


def start(
    name: str | None = None,
    *,
    context: str = "shadow",
    data: str = "tree",
    backend: str | None = None,
    mode: str | None = None,
    hook: str | None = None,
) -> int:
    """Begin a session and activate it.

    Args:
        name: Name of the file, without its suffix.
        context: "shadow": kernels are grouped by scopes.
        data: "tree".
        backend: None: weft has one.
        mode: None: weft has one.
        hook: "triton" to call the `launch_metadata` of kernels.

    Returns:
        The number of the session.

    Raises:
        LaunchError: Another value of an argument.
    """
    options: tuple[tuple[str, str | None, Iterable[str | None]], ...] = (
        ("context", context, ("shadow",)),
        ("data", data, ("tree",)),
        ("backend", backend, (None,)),
        ("mode", mode, (None,)),
        ("hook", hook, (None, "triton")),
    )
    for option, value, accepted in options:
        if value not in accepted:
            raise LaunchError(f"unknown {option} of the profiler", found=value, accepted=accepted)
    number = next(_numbers)
    _sessions[number] = _Session(name or DEFAULT_PROFILE_NAME, hook is not None)
    knobs.runtime.launch_enter_hook.add(_enter_kernel)
    knobs.runtime.launch_exit_hook.add(_exit_kernel)
    return number


def activate(session: int | None = None) -> None:
    """Record launches in a session, or in all.

    Raises:
        LaunchError: There is no such session.
    """
    for each in _select(session):
        each.is_active = True


def deactivate(session: int | None = None, flushing: bool = False) -> None:
    """Stop recording in a session, or in all, until it is activated again.

    Args:
        session: The number of the session; None for all.
        flushing: Wait for the GPU's current stream.

    Raises:
        LaunchError: There is no such session.
    """
    for each in _select(session):
        each.is_active = False
    if flushing and (gpu := current_gpu()) is not None:
        CudaDriver.get().synchronize(torch_stream(gpu) or 0)


def finalize(session: int | None = None, output_format: str = "hatchet") -> None:
    """End a session, or all, and write NAME.hatchet.

    Raises:
        LaunchError: Another format, or no such session.
    """
    if output_format not in ("", "hatchet"):
        raise LaunchError(
            "unknown output format of the profiler", found=output_format, accepted=["hatchet"]
        )
    for each in _select(session):
        database = [each.root.as_json(), {}]
        Path(f"{each.name}.hatchet").write_text(json.dumps(database, indent=1))
    for number in [session] if session is not None else list(_sessions):
        del _sessions[number]
    if not _sessions:
        knobs.runtime.launch_enter_hook.remove(_enter_kernel)
        knobs.runtime.launch_exit_hook.remove(_exit_kernel)


def _select(session: int | None) -> list[_Session]:
    if session is None:
        return list(_sessions.values())
    if session not in _sessions:
        raise LaunchError(
            f"unknown session {session} of the profiler", found=session, accepted=_sessions
        )
    return [_sessions[session]]


def _active_sessions() -> list[_Session]:
    return [session for session in _sessions.values() if session.is_active]


def enter_scope(name: str, *, metrics: Mapping[str, float] | None = None) -> None:
    """Enter a scope: what follows counts under its name."""
    _open_scopes.append(OpenScope(name, _mark(None), metrics or {}))


def exit_scope(name: str | None = None, *, metrics: Mapping[str, float] | None = None) -> None:
    """Leave the innermost scope.

    Raises:
        LaunchError: There is none, or it has another name.
    """
    if not _open_scopes or name not in (None, _open_scopes[-1].name):
        raise LaunchError(
            f"cannot leave scope {name}",
            found=name,
            accepted=[each.name for each in _open_scopes[-1:]],
        )
    innermost = _open_scopes[-1]
    span = Span(innermost.start, _mark(None))
    for session in _active_sessions():
        _innermost_node(session).add(span, {**innermost.metrics, **(metrics or {})})
    _open_scopes.pop()


@contextmanager
def scope(name: str, metrics: Mapping[str, float] | None = None) -> Iterator[None]:
    """Count what runs in the block, or in a decorated function, under a name.

    Args:
        name: The name.
        metrics: Metrics of one run, such as "flops" and "bytes".
    """
    enter_scope(name, metrics=metrics)
    try:
        yield
    finally:
        exit_scope(name)


def profile(func: Callable[..., object] | None = None, **options: Any) -> Callable[..., Any]:
    """Make a session of every call of a function; options as of `start`."""
    if func is None:
        return lambda function: profile(function, **options)

    def profiled(*args: object, **kwargs: object) -> object:
        session = start(**options)
        try:
            return func(*args, **kwargs)
        finally:
            finalize(session)

    return profiled


def _innermost_node(session: _Session) -> Node:
    node = session.root
    for open_scope in _open_scopes:
        node = node.child(open_scope.name)
    return node


def _mark(stream: int | None) -> TimeMark:
    """Mark the current time.

    Args:
        stream: The stream to record an event on; None for torch's current one.
    """
    gpu = current_gpu()
    if gpu is None:
        return TimeMark(time.perf_counter_ns(), None)
    driver = CudaDriver.get()
    with driver.context(gpu):
        event = driver.create_event()
        driver.record(event, (torch_stream(gpu) or 0) if stream is None else stream)
    return TimeMark(event, gpu)


def _nanoseconds(span: Span) -> float:
    start, end = span
    if start.gpu is None:
        return float(end.clock - start.clock)
    driver = CudaDriver.get()
    with driver.context(start.gpu):
        return driver.elapsed_ms(start.clock, end.clock) * 1e6


def _enter_kernel(launch: LaunchMetadata) -> None:
    _kernel_starts.append(_mark(launch.data["stream"]))


def _exit_kernel(launch: LaunchMetadata) -> None:
    span = Span(_kernel_starts.pop(), _mark(launch.data["stream"]))
    for session in _active_sessions():
        data = launch.get() if session.uses_launch_metadata else launch.data
        node = _innermost_node(session).child(data["name"])
        node.is_kernel = True
        node.add(span, {name: value for name, value in data.items() if name not in _NOT_METRICS})
