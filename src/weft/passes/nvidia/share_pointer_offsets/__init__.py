"""Advance one offset per loop instead of every pointer of its copies (share-pointer-offsets).

Before:  scf.for … iter_args(%p = %p0) {          After:  scf.for … iter_args(%o = 0 : i64) {
           %q = tt.addptr %p, splat(64)                     %n = arith.addi %o, 128
           ttg.async_copy_global_to_local %q, %b            %q = tt.addptr bytes of %p0, splat(%n)
           scf.yield %q                                     ttg.async_copy_global_to_local %q, %b
         }                                                  scf.yield %n
                                                          }

A thread copies by several pointers, and all of them advance alike. If each is advanced, ptxas keeps
a pair of registers per pointer that changes in every iteration, and moves many of them to other
pairs for the copies. With one offset, the pointers of the first iteration stay in registers, and an
addition writes each address where its copy reads it. The offset counts bytes: a shift for the size
of elements would delay the additions until the dots are issued.

Loops that compute pointers from the induction variable, as Inductor's templates do, multiply by the
stride for each of them. An offset that grows linearly becomes an iter_arg, too:

    %i = splat(%k * 64) + %range                scf.for … iter_args(%o = 0 : i64)
    %q = tt.addptr %p, %i                         %q = (%p + %range + splat(first)) + bytes %o
                                                  scf.yield %o + 128

Other scalars, such as the offsets of block pointers, are multiplied once per iteration:

    %i = splat(%k) + %range                     %o = %k * %stride * 2              in the loop
    %q = tt.addptr %p, %i * splat(%stride)      %q = (%p + %range * splat(%stride)) + bytes %o

A pointer is split into a tensor that the loop does not change and a scalar offset of 64 bits.
Sums and products of 64 bits split exactly, modulo 2^64. Narrower ones are extended after they wrap
around, so they split only if their ranges show that they do not wrap around.

Alignment cannot be computed through the new offsets. So copies without `contiguity`, from which
their width follows, get it first. Keeps values. `weft.compiler.machine_code` runs the pass on a
copy of the final TTGIR.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from msgspec import Struct

from weft.analysis.axis_info import axis_info
from weft.ir import arith, attributes, scf, tt, ttg, types
from weft.ir.builtin import ModuleOp, SSAValue
from weft.ir.rewriting import Builder, erase, used
from weft.passes.nvidia.share_pointer_offsets.expressions import (
    SHAPES,
    Advance,
    Expression,
    advances_in,
    create,
    product,
)
from weft.passes.nvidia.share_pointer_offsets.splitting import (
    ExactArithmetic,
    PointerSplitter,
    element_bytes,
)
from weft.passes.pipelining.loop_queries import loops_inner_first
from weft.passes.pipelining.loop_signature import add_iter_args

__all__ = ["SharePointerOffsets", "has_copies_in_loops"]

_MAX_BYTES = 16  # of a copy
_PURE = (*SHAPES, tt.AddPtrOp, tt.SplatOp, arith.AddIOp, arith.MulIOp, arith.ExtSIOp)


class SharePointerOffsets(Struct, frozen=True):
    """Split the pointers of asynchronous copies in loops into invariant pointers and an offset."""

    name: ClassVar[str] = "share-pointer-offsets"

    def run(self, module: ModuleOp) -> None:
        """Rewrite the loops in place."""
        loops = loops_inner_first(module)
        _record_widths(module, [copy for loop in loops for copy in _copies(loop)])
        arithmetic = ExactArithmetic(module)
        for loop in loops:
            _rewrite(loop, arithmetic)


def has_copies_in_loops(module: ModuleOp) -> bool:
    """Check whether any loop copies from global to shared memory by pointers."""
    return any(True for loop in loops_inner_first(module) for _ in _copies(loop))


def _copies(loop: scf.ForOp) -> Iterator[ttg.AsyncCopyGlobalToLocalOp]:
    return (op for op in loop.block.ops if isinstance(op, ttg.AsyncCopyGlobalToLocalOp))


def _record_widths(module: ModuleOp, copies: Sequence[ttg.AsyncCopyGlobalToLocalOp]) -> None:
    """Set how many elements a thread may copy at once, where that is not known yet."""
    unknown = [copy for copy in copies if attributes.number(copy.contiguity) == 1]
    if not unknown:
        return
    info = axis_info(module)
    for copy in unknown:
        most = _MAX_BYTES // element_bytes(copy.src)
        width = max(1, min(most, info.contiguity(copy.src)))
        copy.properties["contiguity"] = attributes.integer(width, types.i32)


def _rewrite(loop: scf.ForOp, arithmetic: ExactArithmetic) -> None:
    splitter = PointerSplitter(loop, arithmetic)
    splits = {copy: splitter.split_pointers(copy.src) for copy in _copies(loop)}
    moving = {copy: each for copy, each in splits.items() if each and each.offset is not None}
    if not moving:
        return
    used_advances = {each: None for split in moving.values() for each in advances_in(split.offset)}
    steps = {each: product(splitter.steps[each.value], each.factor) for each in used_advances}
    loop, values = _add_offsets(loop, steps)
    for copy, split in moving.items():
        assert split.invariant is not None
        assert split.offset is not None
        pointers = create(Builder().before(loop), split.invariant, {})
        builder = Builder().before(copy)
        offset = create(builder, split.offset, values)
        copy.operands[0] = _add_bytes(builder, pointers, offset)
    _erase_unused(loop)


def _add_bytes(builder: Builder, pointers: SSAValue, offset: SSAValue) -> SSAValue:
    """Add a scalar number of bytes to pointers."""
    type_ = pointers.type
    to_bytes = types.with_element(type_, types.pointer(types.i8))
    splat = builder.value(tt.SplatOp, [offset], types.with_element(type_, types.i64))
    of_bytes = builder.value(tt.BitcastOp, [pointers], to_bytes)
    return builder.value(
        tt.BitcastOp, [builder.value(tt.AddPtrOp, [of_bytes, splat], to_bytes)], type_
    )


def _add_offsets(
    loop: scf.ForOp, advances: dict[Advance, Expression]
) -> tuple[scf.ForOp, dict[Advance, SSAValue]]:
    """Add an iter_arg for each different advance, 0 in the first iteration.

    Returns:
        The new loop, and the iter_arg of each advance.
    """
    steps = list(dict.fromkeys(advances.values()))
    if not steps:
        return loop, {}
    zero, count = Builder().before(loop).constant(0, types.i64), len(loop.results)
    loop = add_iter_args(loop, [zero] * len(steps))
    new_args = loop.block.args[1 + count :]
    terminator = loop.terminator
    builder = Builder().before(terminator)
    for number, (step, offset) in enumerate(zip(steps, new_args, strict=True)):
        scalar = create(builder, step, {})
        terminator.operands[count + number] = builder.value(
            arith.AddIOp, [offset, scalar], types.i64
        )
    return loop, {each: new_args[steps.index(step)] for each, step in advances.items()}


def _erase_unused(loop: scf.ForOp) -> None:
    """Erase the computations of pointers that nothing uses any more."""
    op = loop.block.last_op
    while op is not None:
        previous = op.prev_op
        if isinstance(op, _PURE) and not used(op):
            erase(op)
        op = previous
