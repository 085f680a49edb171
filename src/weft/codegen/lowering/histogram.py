"""Histograms: counters in shared memory, one atomic addition of one per element.

    tt.histogram %x : tensor<1024xi32> -> tensor<64xi32>, 4 warps

    64 threads clear a counter each
    barrier
    each thread adds one at the counter of each of its elements      (8 times)
    barrier
    each thread reads the counters that the result's layout gives it

Additions of one that meet at one address are merged by NVIDIA's hardware, so that counting this
way takes one instruction per register where comparing bins among lanes takes dozens. Elements that
are no bin, those that a mask leaves out, and copies that other threads hold are not counted. Each
block of a cluster counts its own elements; threads then read the counters of all, and add them.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from weft.codegen.hardware.common.shared_memory import load_plain
from weft.codegen.llvm.types import llvm_type, storage_bytes
from weft.codegen.lowering.common.lowering import Lowering, first_parts, layout_of
from weft.codegen.lowering.common.scratch import scratch
from weft.codegen.lowering.global_memory import both
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import tt, types
from weft.ir.hardware import warps_around
from weft.targets import Target

_WIDEST_COUNTERS = 4


@lowers(tt.HistogramOp)
def _histogram(low: Lowering, op: tt.HistogramOp) -> None:
    if types.element(op.result.type) != types.i32:
        raise CodegenError(
            "a histogram counts in i32", found=types.element(op.result.type), accepted=["i32"]
        )
    bins = types.shape(op.result.type)[0]
    start = low.scratch(op)
    _clear(low, op, start, bins)
    low.barrier()
    _count(low, op, start, bins)
    homes = _blocks_that_count(low, op)
    if len(homes) > 1:
        low.meet_blocks()
    else:
        low.barrier()
    low.define(op.result, _read(low, op, start, homes))
    if len(homes) > 1:
        low.meet_blocks()  # nobody writes there again, or ends, while others read


def _blocks_that_count(low: Lowering, op: tt.HistogramOp) -> list[str]:
    """Return the numbers of the blocks of a cluster that count other elements than each other."""
    layout = layout_of(op.src.type)
    others = (layout.in_size("block") - 1) & ~layout.free_variable_masks().get("block", 0)
    parts = [part for part in range(others + 1) if not part & ~others]
    return [low.threads.replaced("block", others, part) for part in parts]


def _read(low: Lowering, op: tt.HistogramOp, start: int, homes: Sequence[str]) -> list[str]:
    """Return the result's registers, neighbours by one access; of several blocks their sum."""
    w, layout = low.writer, layout_of(op.result.type)
    together = min(_WIDEST_COUNTERS, layout.num_consecutive())
    places = low.threads.indices(w, layout, 0)
    found: list[str] = []
    for place in places[::together]:
        if len(homes) == 1:
            found += load_plain(w, 32, low.shared_address("i32", place, start), together)
            continue
        space, total = low.hardware.memory.remote_space, ["0"] * together
        for home in homes:
            address = low.remote_address("i32", place, start, home)
            counts = load_plain(w, 32, address, together, space=space)
            total = [w.value(f"add i32 {a}, {b}") for a, b in zip(total, counts, strict=True)]
        found += total
    return low.repeated(op.result, found)


def _clear(low: Lowering, op: Operation, start: int, bins: int) -> None:
    """Write zeros, a thread to a counter; where there are fewer counters, some threads rest."""
    w = low.writer
    threads = low.hardware.target.threads_per_warp * warps_around(op)
    thread = low.threads.thread
    awake = w.value(f"icmp ult i32 {thread}, {bins}") if bins < threads else ""
    with w.where(awake, "clear"):
        for first in range(0, bins, threads):
            address = low.shared_address("i32", thread, start + 4 * first)
            w.line(f"store i32 0, ptr addrspace(3) {address}, align 4")


def _count(low: Lowering, op: tt.HistogramOp, start: int, bins: int) -> None:
    w, type_ = low.writer, llvm_type(op.src.type)
    owner = low.owner_in_block(op.src.type)
    firsts = first_parts(op.src.type)
    for register, value in enumerate(low[op.src]):
        if firsts[register] != register:
            continue
        is_bin = w.value(f"icmp {_bound(type_, bins)}".format(value))
        if op.mask is not None:
            is_bin = both(low, is_bin, low[op.mask][register])
        address = low.shared_address("i32", _index(low, type_, value), start)
        low.hardware.memory.increment_shared(w, address, both(low, owner, is_bin))


def _bound(type_: str, bins: int) -> str:
    """Return a comparison that holds for bins, and not for negative numbers."""
    if bins >= 1 << (int(type_[1:]) - 1):
        return f"sge {type_} {{}}, 0"
    return f"ult {type_} {{}}, {bins}"


def _index(low: Lowering, type_: str, value: str) -> str:
    """Return a bin's number as an i32."""
    bits = int(type_[1:])
    if bits == 32:
        return value
    return low.writer.value(f"{'zext' if bits < 32 else 'trunc'} {type_} {value} to i32")


@scratch(tt.HistogramOp)
def _bytes(op: tt.HistogramOp, target: Target) -> int:
    """Count one counter per bin."""
    result = op.results[0].type
    return types.shape(result)[0] * storage_bytes(result)
