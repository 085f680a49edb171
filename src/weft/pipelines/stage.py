"""Stages: the named parts of a pipeline that a compilation can stop after.

ttir      simplify the front end's output; no layouts yet
convert   convert TTIR to TTGIR: every tensor gets a default layout
layout    choose layouts for memory accesses and dots, remove conversions between them
loops     software pipelining
final     everything that needs the final shape of loops

A Gluon kernel has one stage, `gluon`: its author chose the layouts.
"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from weft.passes import Pass

__all__ = ["LaunchOptions", "Stage"]


class Stage(Struct, frozen=True):
    """A named part of a pipeline.

    Attributes:
        name: One of the names above.
        passes: The passes, in order.
        ir: The kind of IR after the stage, "ttir" or "ttgir".
    """

    name: str
    passes: tuple[Pass, ...]
    ir: str = "ttgir"


class LaunchOptions(Protocol):
    """The launch options that a pipeline reads."""

    @property
    def num_warps(self) -> int:
        """Warps per CTA."""
        ...

    @property
    def num_ctas(self) -> int:
        """CTAs per cluster."""
        ...

    @property
    def num_stages(self) -> int:
        """Iterations of a loop in flight at once; 1 does not pipeline."""
        ...

    @property
    def layouts(self) -> str:
        """How layouts are chosen: "heuristic", "refined" or "optimal"."""
        ...

    @property
    def matrix_instr_nonkdim(self) -> int:
        """The m and n of MFMA instructions; 0 lets the compiler choose."""
        ...

    @property
    def kpack(self) -> int:
        """Consecutive MFMA steps along k whose operands a lane loads at once."""
        ...

    @property
    def schedule_hints(self) -> tuple[str, ...]:
        """Hints for the scheduling of instructions."""
        ...

    @property
    def use_async_copy(self) -> bool | None:
        """Whether pipelined loops copy to shared memory asynchronously; None for no."""
        ...

    @property
    def use_block_pingpong(self) -> bool | None:
        """Whether to schedule for two warps per SIMD; None for the chip's default."""
        ...

    @property
    def use_in_thread_transpose(self) -> bool | None:
        """Whether to transpose in registers; None for the chip's default."""
        ...

    @property
    def use_buffer_ops(self) -> bool:
        """Whether to use buffer instructions."""
        ...

    @property
    def use_buffer_atomics(self) -> bool:
        """Whether to use buffer instructions for atomic operations."""
        ...

    @property
    def buffer_ops_analyze_small_tensor_range(self) -> bool:
        """Whether offsets decide even for arguments below 2 GiB."""
        ...
