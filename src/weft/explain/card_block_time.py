"""Predict the time of a kernel's block for its card, where machine code and model allow it.

    PTX     4 ld.global in a loop of 64 iterations
    SASS    4 LDG in its loop           predicted: 64 times the body
            16 LDG in its loop          not predicted: ptxas unrolled it, by 4 or otherwise

The model (docs/decisions/030) takes the iterations of loops from TTGIR, in the order of the text.
So the SASS must have the same loops, nested alike, and as many accesses, barriers and MMAs as the
PTX. What the model leaves out as a whole is refused: copies of tiles, mbarriers, clusters,
functions, and loops that may wait for other programs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from weft.errors import WeftError
from weft.explain.block_time import (
    BlockTime,
    Body,
    Loop,
    SassInstruction,
    nest_loops,
    read_sass,
    time_block,
)
from weft.explain.counts import UNKNOWN_ITERATIONS
from weft.explain.inventory import launch_attributes
from weft.explain.machine_code import read_machine_code
from weft.ir.builtin import ModuleOp
from weft.ir.module_attributes import lookup_num_ctas
from weft.ir.rewriting import ancestors, walk
from weft.ir.scf import ForOp, WhileOp
from weft.ir.scf.trip_count import trip_count
from weft.ir.ttg import WarpSpecializeOp
from weft.targets.instruction_timing import InstructionTiming, instruction_timing
from weft.targets.multiprocessor import multiprocessor

__all__ = ["predict_block_time"]

# The kind of an instruction of PTX, and its opcodes in SASS.
_COUNTED = {
    "global load": ("LDG",),
    "global store": ("STG",),
    "global atomic": ("ATOM", "ATOMG", "RED", "REDG"),
    "async copy": ("LDGSTS",),
    "matrix load": ("LDSM",),
    "shuffle": ("SHFL",),
    "barrier": ("BAR",),
    "mma": ("HMMA", "HGMMA"),
}
_KINDS = {opcode: kind for kind, opcodes in _COUNTED.items() for opcode in opcodes}
_REFUSED = {
    "UTMA": "copies of tiles",
    "UBLK": "bulk copies",
    "SYNCS": "mbarriers",
    "UCGABAR": "barriers of a cluster",
    "CALL": "calls of functions",
    "BRX": "indirect branches",
    "JMX": "indirect branches",
}


def predict_block_time(module: ModuleOp, ptx: str, sass: str) -> BlockTime:
    """Predict the time of a block alone on a multiprocessor.

    Args:
        module: Final TTGIR.
        ptx: Its PTX.
        sass: Its SASS, as nvdisasm prints it.

    Raises:
        UnknownTargetError: The timing of the chip is not known.
        WeftError: The model leaves out what the kernel has; the message says what.
    """
    launch = launch_attributes(module)
    timing, sm = instruction_timing(launch.target), multiprocessor(launch.target)
    loops = [op for op in walk(module) if isinstance(op, ForOp | WhileOp)]
    _check_module(module)
    trips = [_iterations(loop) for loop in loops]
    body = nest_loops(read_sass(sass), trips)
    _check_instructions(body, timing)
    _check_loops(body, loops)
    _check_copies(body, ptx)
    return time_block(body, launch.num_warps, timing, sm.partitions)


def _iterations(loop: ForOp | WhileOp) -> int:
    if isinstance(loop, WhileOp):
        raise WeftError("a while loop may wait for other programs")
    trips = trip_count(loop)
    return UNKNOWN_ITERATIONS if trips is None else trips


def _check_module(module: ModuleOp) -> None:
    if any(isinstance(op, WarpSpecializeOp) for op in walk(module)):
        raise WeftError("its warps are specialized")
    if lookup_num_ctas(module) > 1:
        raise WeftError("its blocks are in clusters")


def _check_instructions(body: Body, timing: InstructionTiming) -> None:
    """Check that the model has each instruction."""
    for each in _instructions(body):
        for prefix, name in _REFUSED.items():
            if each.opcode.startswith(prefix):
                raise WeftError(f"it has {name}")
        if "MMA" in each.opcode.split(".")[0] and timing.find(each.opcode).unit != "tensor":
            raise WeftError(f"no timing of {each.opcode} is known")


def _check_loops(body: Body, loops: list[ForOp | WhileOp]) -> None:
    """Check that SASS has the loops of TTGIR, each with an instruction that shows copies of it."""
    depths = [sum(isinstance(each, ForOp | WhileOp) for each in ancestors(op)) for op in loops]
    if list(_depths(body, 0)) != depths:
        raise WeftError("the loops of its machine code are not those of its TTGIR")
    for loop in _loops(body):
        if not any(isinstance(each, Loop) or _kind(each) for each in loop.body):
            raise WeftError("a loop has no instruction that distinguishes the copies of its body")


def _check_copies(body: Body, ptx: str) -> None:
    """Check that ptxas did not unroll a loop: each instruction of PTX is there once."""
    in_sass = Counter(filter(None, map(_kind, _instructions(body))))
    in_ptx = Counter(
        each.kind for each in read_machine_code(ptx).instructions if each.kind in _COUNTED
    )
    for kind in _COUNTED:
        if in_sass[kind] != in_ptx[kind]:
            counts = f"{in_sass[kind]} of {kind} for {in_ptx[kind]} of PTX"
            raise WeftError(f"ptxas unrolled a loop, or changed instructions: {counts}")


def _kind(instruction: SassInstruction) -> str:
    return _KINDS.get(instruction.opcode.split(".")[0], "")


def _instructions(body: Body) -> Iterator[SassInstruction]:
    for each in body:
        if isinstance(each, Loop):
            yield from _instructions(each.body)
        else:
            yield each


def _loops(body: Body) -> Iterator[Loop]:
    for each in body:
        if isinstance(each, Loop):
            yield each
            yield from _loops(each.body)


def _depths(body: Body, depth: int) -> Iterator[int]:
    for each in body:
        if isinstance(each, Loop):
            yield depth
            yield from _depths(each.body, depth + 1)
