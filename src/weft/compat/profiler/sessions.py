"""`triton.profiler.profile`: sessions that record the time of each launch."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from weft import knobs
from weft.compat.profiler.flags import flags
from weft.compat.profiler.tree import Node, Span, TimeMark, mark
from weft.compat.unsupported import unsupported_names
from weft.errors import LaunchError
from weft.launch.devices import current_gpu
from weft.launch.drivers.active import active_driver
from weft.launch.hooks import LaunchMetadata
from weft.launch.streams import torch_stream

__all__ = [
    "DEFAULT_PROFILE_NAME",
    "Session",
    "activate",
    "active_sessions",
    "deactivate",
    "finalize",
    "open_nodes",
    "profile",
    "start",
]

__getattr__ = unsupported_names(
    "triton.profiler.profile", "knobs.runtime.launch_enter_hook and launch_exit_hook see launches"
)

DEFAULT_PROFILE_NAME = "proton"
_NOT_METRICS = ("name", "function", "stream")

open_nodes: list[str] = []
"""The names of the open scopes, the outermost first."""


@dataclass(slots=True)
class Session:
    """The recording of one profile.

    Attributes:
        name: The name of the file, without its suffix.
        uses_launch_metadata: Whether the `launch_metadata` of kernels counts.
        is_active: Whether launches are recorded.
        root: What ran.
    """

    name: str
    uses_launch_metadata: bool
    is_active: bool = True
    root: Node = field(default_factory=lambda: Node("ROOT"))

    def innermost_node(self) -> Node:
        """Get the node of the innermost scope; the first use creates it."""
        node = self.root
        for name in open_nodes:
            node = node.child(name)
        return node


_sessions: dict[int, Session] = {}
_numbers = count()
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
    if knobs.proton.disable or flags.command_line:
        return number
    flags.profiling_on = True
    _sessions[number] = Session(name or DEFAULT_PROFILE_NAME, hook is not None)
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
        active_driver().synchronize(torch_stream(gpu) or 0)


def finalize(session: int | None = None, output_format: str | None = "") -> None:
    """End a session, or all, and write NAME.hatchet.

    Raises:
        LaunchError: Another format, or no such session.
    """
    if output_format not in (None, "", "hatchet"):
        raise LaunchError(
            "unknown output format of the profiler", found=output_format, accepted=["hatchet"]
        )
    if flags.command_line:  # the command ends its session after the program
        return
    for each in _select(session):
        database = [each.root.as_json(), {}]
        Path(f"{each.name}.hatchet").write_text(json.dumps(database, indent=1))
    for number in [session] if session is not None else list(_sessions):
        _sessions.pop(number, None)
    if not _sessions:
        flags.profiling_on = False
        knobs.runtime.launch_enter_hook.remove(_enter_kernel)
        knobs.runtime.launch_exit_hook.remove(_exit_kernel)


def _select(session: int | None) -> list[Session]:
    if session is None or knobs.proton.disable or flags.command_line:
        return list(_sessions.values())
    if session not in _sessions:
        raise LaunchError(
            f"unknown session {session} of the profiler", found=session, accepted=_sessions
        )
    return [_sessions[session]]


def active_sessions() -> list[Session]:
    """List the sessions that record."""
    return [session for session in _sessions.values() if session.is_active]


def profile(
    func: Callable[..., object] | None = None,
    *,
    name: str | None = None,
    context: str = "shadow",
    data: str = "tree",
    backend: str | None = None,
    mode: str | None = None,
    hook: str | None = None,
) -> Callable[..., Any]:
    """Make a session of every call of a function; the other arguments are those of `start`."""
    options: Any = {
        "name": name, "context": context, "data": data, "backend": backend, "mode": mode,
        "hook": hook,
    }  # fmt: skip
    if func is None:
        return lambda function: profile(function, **options)

    @functools.wraps(func)
    def profiled(*args: object, **kwargs: object) -> object:
        session = start(**options)
        try:
            return func(*args, **kwargs)
        finally:
            finalize(session)

    return profiled


def _enter_kernel(launch: LaunchMetadata) -> None:
    _kernel_starts.append(mark(launch.data["stream"]))


def _exit_kernel(launch: LaunchMetadata) -> None:
    span = Span(_kernel_starts.pop(), mark(launch.data["stream"]))
    for session in active_sessions():
        data = launch.get() if session.uses_launch_metadata else launch.data
        node = session.innermost_node().child(data["name"])
        node.is_kernel = True
        node.add(span, {name: value for name, value in data.items() if name not in _NOT_METRICS})
