"""Access the halves of the columns of a tile separately.

    %x = ttng.tmem_load %m : 128x64              %a = ttng.tmem_subslice %m {N = 0}
    %r = tt.reshape %x : 128x2x32                %l = ttng.tmem_load %a : 128x32
    %t = tt.trans %r [0, 2, 1] : 128x32x2    →   %b = ttng.tmem_subslice %m {N = 32}
    %l, %h = tt.split %t                         %h = ttng.tmem_load %b : 128x32

Column c of the tile is element (c / 32, c % 32) of the reshaped one, so the last dimension of the
transposed one numbers the halves. A store of joined halves is the inverse.
"""

from __future__ import annotations

from typing import TypeVar

from weft.ir import attributes, tt, ttg, ttng, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.layouts import TensorMemoryEncoding
from weft.passes.ledger import enabled, record_decision
from weft.passes.nvidia.optimize_tmem_layouts.register_layouts import default_registers
from weft.passes.registry import Pass
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["join_pattern", "split_pattern"]

_HALVES_LAST = (0, 2, 1)
_ROWS = 128  # of tensor memory; a tile with fewer rows has gaps that a column slice cannot express
_MIN_COLUMNS = 8

_Op = TypeVar("_Op", bound=Operation)


def split_pattern(by: Pass) -> Pattern:
    """Return the pattern that loads halves that are split.

    Args:
        by: The pass, for its decisions.
    """

    def split(op: Operation, rewriter: Rewriter) -> bool:
        trans = _defining(_unconverted(op.operands[0]), tt.TransOp)
        reshape = None if trans is None else _defining(trans.src, tt.ReshapeOp)
        if trans is None or reshape is None or not _has_halves_last(trans):
            return False
        load = _defining(_unconverted(reshape.src), ttng.TMEMLoadOp)
        halves = types.shape(reshape.result.type)
        if load is None or not _fits(load.src.type, halves, types.shape(reshape.src.type)):
            return False
        columns = halves[2]
        parts: list[SSAValue] = []
        for start, result in zip((0, columns), op.results, strict=True):
            part = _columns(load.src, start, columns, load, rewriter)
            type_ = _in_registers(result.type, part, load)
            sizes = {"resultSegmentSizes": attributes.array_i32((1, 0, 0))}
            new_load = rewriter.create(ttng.TMEMLoadOp, (part,), (type_,), sizes, before=load)
            converted = rewriter.create(
                ttg.ConvertLayoutOp, (new_load.results[0],), (result.type,), before=load
            ).results[0]
            reason = "a half of the columns that is used alone is loaded alone"
            _record(by, new_load.results[0], reason)
            _record(by, converted, "the layout of the users")
            parts.append(converted)
        rewriter.replace(op, parts)
        return True

    return split


def join_pattern(by: Pass) -> Pattern:
    """Return the pattern that stores halves that are joined.

    Args:
        by: The pass, for its decisions.
    """

    def join_halves(op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, ttng.TMEMStoreOp)
        reshape = _defining(_unconverted(op.src), tt.ReshapeOp)
        trans = None if reshape is None else _defining(reshape.src, tt.TransOp)
        if reshape is None or trans is None or not _has_halves_last(trans):
            return False
        join = _defining(trans.src, tt.JoinOp)
        halves = types.shape(reshape.src.type)
        if join is None or not _fits(op.dst.type, halves, types.shape(reshape.result.type)):
            return False
        true = rewriter.constant(attributes.boolean(True), types.i1, op)
        for start, half in zip((0, halves[2]), join.operands, strict=True):
            part = _columns(op.dst, start, halves[2], op, rewriter)
            type_ = _in_registers(half.type, part, op)
            value = rewriter.create(ttg.ConvertLayoutOp, (half,), (type_,), before=op).results[0]
            rewriter.create(ttng.TMEMStoreOp, (part, value, true), before=op)
            _record(by, value, "a half of the columns that is computed alone is stored alone")
        rewriter.erase(op)
        return True

    return join_halves


def _record(by: Pass, value: SSAValue, reason: str) -> None:
    if enabled():
        record_decision(by, value, str(types.encoding(value.type)), reason)


def _defining(value: SSAValue, cls: type[_Op]) -> _Op | None:
    """Return the defining operation of a value, if it is of a class."""
    return value.owner if isinstance(value.owner, cls) else None


def _unconverted(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, ttg.ConvertLayoutOp):
        value = value.owner.operands[0]
    return value


def _has_halves_last(op: tt.TransOp) -> bool:
    return attributes.array_values(op.order) == _HALVES_LAST


def _fits(memory: Attribute, halves: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """Check whether halves are at least 8 columns of a buffer with all 128 rows of each CTA."""
    assert isinstance(memory, ttg.MemDescType)
    encoding = memory.encoding
    assert isinstance(encoding, TensorMemoryEncoding)
    rows = memory.shape[0] // encoding.cta_split_m
    return halves[0] == whole[0] and rows == _ROWS and halves[2] >= _MIN_COLUMNS


def _in_registers(tensor: Attribute, part: SSAValue, op: Operation) -> Attribute:
    """Return the type of a half in the layout in which an operation accesses it."""
    encoding, memory = types.encoding(tensor), part.type
    assert encoding is not None
    assert isinstance(memory, ttg.MemDescType)
    return types.with_encoding(tensor, default_registers(op, memory, encoding))


def _columns(
    buffer: SSAValue, start: int, size: int, before: Operation, rewriter: Rewriter
) -> SSAValue:
    """Create a view of a range of columns."""
    old = buffer.type
    assert isinstance(old, ttg.MemDescType)
    encoding = old.encoding
    assert isinstance(encoding, TensorMemoryEncoding)
    part = TensorMemoryEncoding(
        encoding.block_m,
        min(encoding.block_n, size),
        encoding.col_stride,
        encoding.cta_split_m,
        encoding.cta_split_n,
        encoding.two_ctas,
    )
    type_ = ttg.MemDescType.of(
        (old.shape[0], size),
        old.element_type,
        part,
        old.memory_space,
        mutable=old.is_mutable,
        allocated=old.allocated,
    )
    first = {"N": attributes.integer(start, types.i32)}
    view = rewriter.create(ttng.TMEMSubSliceOp, (buffer,), (type_,), first, before=before)
    return view.results[0]
