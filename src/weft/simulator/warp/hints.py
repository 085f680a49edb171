"""Instructions that affect only timing or register allocation, not results."""

from __future__ import annotations

from weft.errors import CodegenError
from weft.simulator.block import Step
from weft.simulator.registry import Call, assembly, intrinsic
from weft.simulator.warp.shuffles import check_whole_warps

__all__: list[str] = []

_MIN_REGISTERS, _MAX_REGISTERS = 24, 256


@intrinsic(
    r"llvm\.amdgcn\.(?:sched\.barrier|sched\.group\.barrier|iglp\.opt|s\.setprio|s\.nop"
    r"|s\.wait\.(?:loadcnt|storecnt|expcnt))"
)
def _scheduling_hint(call: Call) -> Step:
    """Compile to nothing.

    Instructions run in the order of the text, and a thread's own loads and stores complete at once.
    Waits for copies, and for stores to LDS that other threads read, are in `lds_copy` and `tdm`.
    """
    return lambda block: None


@assembly(r"setmaxnreg\.(?:inc|dec)\.sync\.aligned\.u32 (\d+);")
def _set_max_registers(call: Call) -> Step:
    """Compile a check that whole warps execute setmaxnreg; registers are not counted.

    Raises:
        CodegenError: The count is not legal.
    """
    count = int(call.match[1])
    if count % 8 or not _MIN_REGISTERS <= count <= _MAX_REGISTERS:
        raise CodegenError(
            "the register count of setmaxnreg must be a multiple of 8 in the range 24 to 256",
            found=count,
        )
    return lambda block: check_whole_warps(block, "setmaxnreg")
