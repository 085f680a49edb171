"""An LLVM module as text, with what compiling and launching it takes."""

from __future__ import annotations

from msgspec import Struct

from weft.targets import Target

__all__ = ["Launch", "LlvmModule"]


class Launch(Struct, frozen=True):
    """Launch parameters that are compiled into a kernel.

    Attributes:
        num_warps: Warps of a CTA.
        num_ctas: CTAs of a cluster.
        maxnreg: Upper bound of registers per thread (NVIDIA).
        waves_per_eu: Occupancy to aim at, 0 for none (AMD).
        schedule_strategy: LLVM's strategy for scheduling instructions, "" for its default (AMD).
        flush_denorm: Whether f32 arithmetic may flush denormal numbers to zero (AMD).
    """

    num_warps: int
    num_ctas: int = 1
    maxnreg: int | None = None
    waves_per_eu: int = 0
    schedule_strategy: str = ""
    flush_denorm: bool = False


class LlvmModule(Struct, frozen=True):
    """The LLVM IR of one kernel.

    Attributes:
        text: The module.
        kernel: Name of the kernel.
        target: The chip that it is for.
        launch: Launch parameters of the kernel.
        shared_bytes: Dynamic shared memory of a CTA.
        global_scratch_bytes: Global memory that each program needs for itself. If there is any,
            its address is the kernel's last argument.
        global_scratch_alignment: Of this memory, in bytes.
        libraries: (bitcode file, functions that are called) of each library to link.
    """

    text: str
    kernel: str
    target: Target
    launch: Launch
    shared_bytes: int = 0
    global_scratch_bytes: int = 0
    global_scratch_alignment: int = 1
    libraries: tuple[tuple[str, tuple[str, ...]], ...] = ()
