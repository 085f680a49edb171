"""An LLVM module as text, with what compiling and launching it takes.

The text has no debug information. The source locations of its lines are kept beside it.
`text_with_line_info` adds them as metadata, for the machine code; `text_with_locations` appends
them as comments, for the simulator's reports:

    %v3 = load i32, ptr addrspace(3) %v2, align 4 ; loc("kernel.py":12:8)
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct
from xdsl.ir import Attribute

from weft.codegen.llvm.debug_info import with_line_info
from weft.errors import Location
from weft.ir.locations import CallSiteLoc, position
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
        positions: Number of a line of the text, from 0, and the source location of it and of the
            lines after it; in order.
        has_line_info: Whether machine code gets line information.
        ptxas_options: More arguments of ptxas.
        assembly: PTX or AMDGCN in place of what LLVM emits; None for LLVM's.
    """

    text: str
    kernel: str
    target: Target
    launch: Launch
    shared_bytes: int = 0
    global_scratch_bytes: int = 0
    global_scratch_alignment: int = 1
    libraries: tuple[tuple[str, tuple[str, ...]], ...] = ()
    positions: tuple[tuple[int, Attribute | None], ...] = ()
    has_line_info: bool = False
    ptxas_options: tuple[str, ...] = ()
    assembly: str | None = None

    @property
    def threads_per_warp(self) -> int:
        """Threads of a warp."""
        return self.target.threads_per_warp

    def text_with_line_info(self, emission: str) -> str:
        """Get the text with `!dbg` metadata, if the machine code gets line information.

        Args:
            emission: The `emissionKind` of the compile unit.
        """
        if not self.has_line_info:
            return self.text
        return with_line_info(self.text, self.positions, emission)

    def text_with_locations(self) -> str:
        """Get the text with a comment after each instruction whose source location is known."""
        lines = self.text.split("\n")
        ends = [start for start, _ in self.positions[1:]] + [len(lines)]
        for (start, location), end in zip(self.positions, ends, strict=True):
            place = None if location is None else _kernel_position(location)
            if place is None:
                continue
            for n in range(start, end):
                if lines[n].startswith(" "):
                    lines[n] += f' ; loc("{place.file}":{place.line}:{place.column})'
        return "\n".join(lines)


_LANGUAGE = Path(__file__).parents[2] / "language"


def _kernel_position(location: Attribute) -> Location | None:
    """Find the file position of a location; in a function of weft.language that of its caller."""
    if isinstance(location, CallSiteLoc):
        callee = _kernel_position(location.callee)
        if callee is None or Path(callee.file).is_relative_to(_LANGUAGE):
            return _kernel_position(location.caller)
        return callee
    return position(location)
