"""The tree of scopes and kernels that a session records, with their times."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from weft.launch.devices import current_gpu
from weft.launch.drivers.active import active_driver
from weft.launch.streams import torch_stream

__all__ = ["Node", "Span", "TimeMark", "mark"]

_TIME, _COUNT = "time (ns)", "count"


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


def mark(stream: int | None) -> TimeMark:
    """Mark the current time.

    Args:
        stream: The stream to record an event on; None for torch's current one.
    """
    gpu = current_gpu()
    if gpu is None:
        return TimeMark(time.perf_counter_ns(), None)
    driver = active_driver()
    with driver.context(gpu):
        event = driver.create_event()
        driver.record(event, (torch_stream(gpu) or 0) if stream is None else stream)
    return TimeMark(event, gpu)


def _nanoseconds(span: Span) -> float:
    start, end = span
    if start.gpu is None:
        return float(end.clock - start.clock)
    driver = active_driver()
    with driver.context(start.gpu):
        return driver.elapsed_ms(start.clock, end.clock) * 1e6
