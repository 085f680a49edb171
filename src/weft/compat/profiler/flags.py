"""`triton.profiler.flags`: the state of the profiler in this process."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ProfilerFlags", "flags"]


@dataclass
class ProfilerFlags:
    """The state of the profiler.

    Attributes:
        profiling_on: Whether a session has begun and none has ended since.
        instrumentation_on: Whether kernels are instrumented: never.
        command_line: Whether `python -m triton.profiler.proton` runs the program, whose calls of
            `start` then have no effect.
    """

    profiling_on: bool = False
    instrumentation_on: bool = False
    command_line: bool = False


flags = ProfilerFlags()
