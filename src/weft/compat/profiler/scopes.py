"""`triton.profiler.scope`: names under which launches count.

with scope("warm", {"flops": 2e9}):
    kernel[grid](…)
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, NamedTuple, Self

from weft.compat.profiler.sessions import active_sessions, open_nodes
from weft.compat.profiler.tree import Span, TimeMark, mark
from weft.compat.unsupported import unsupported_names
from weft.errors import LaunchError

__all__ = ["cpu_timed_scope", "enter_scope", "exit_scope", "scope"]

__getattr__ = unsupported_names(
    "triton.profiler.scope", "pass numbers as metrics to triton.profiler.scope"
)

_CPU_TIME = "cpu_time"


class OpenScope(NamedTuple):
    """A scope that was entered and not left."""

    name: str
    start: TimeMark
    metrics: Mapping[str, float]


_open_scopes: list[OpenScope] = []


def enter_scope(name: str, *, metrics: Mapping[str, float] | None = None) -> None:
    """Enter a scope: what follows counts under its name."""
    open_nodes.append(name)
    _open_scopes.append(OpenScope(name, mark(None), metrics or {}))


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
    span = Span(innermost.start, mark(None))
    for session in active_sessions():
        session.innermost_node().add(span, {**innermost.metrics, **(metrics or {})})
    _open_scopes.pop()
    open_nodes.pop()


class scope:
    """A context manager and decorator: what runs in it counts under a name.

    Attributes:
        name: The name.
        metrics: Metrics of one run, such as "flops" and "bytes".
        id: The depth of the scope while it is open; None otherwise.
    """

    def __init__(self, name: str, metrics: Mapping[str, Any] | None = None) -> None:
        self.name = name
        self.metrics = metrics
        self.id: int | None = None

    def _closing_metrics(self) -> dict[str, float]:
        """Get the metrics that are known at the end of a run."""
        return {}

    def __enter__(self) -> Self:
        enter_scope(self.name, metrics=self.metrics)
        self.id = len(_open_scopes)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.id = None
        exit_scope(self.name, metrics=self._closing_metrics())

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Run each call of a function in the scope."""

        @functools.wraps(func)
        def scoped(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.name, self.metrics):
                return func(*args, **kwargs)

        return scoped


class cpu_timed_scope(scope):
    """A scope with the time of the host as a metric, "cpu_time (ns)(exc)".

    Attributes:
        start_time: The host's clock in ns when the scope was entered.
    """

    def __init__(self, name: str, metrics: Mapping[str, Any] | None = None) -> None:
        super().__init__(name, metrics)
        self.start_time: int | None = None
        if metrics and _CPU_TIME in metrics:
            raise LaunchError(f"The metric name '{_CPU_TIME}' is reserved.", found=_CPU_TIME)

    def __enter__(self) -> Self:
        self.start_time = time.time_ns()
        return super().__enter__()

    def _closing_metrics(self) -> dict[str, float]:
        return {f"{_CPU_TIME} (ns)(exc)": time.time_ns() - (self.start_time or 0)}
