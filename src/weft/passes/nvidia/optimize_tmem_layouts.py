"""Choose the layouts of TMEM accesses for their users (triton-nvidia-optimize-tmem-layouts).

Before:  %x = ttng.tmem_load %m : 128x256            After:  %a = ttng.tmem_subslice %m {N = 0}
         %r = tt.reshape %x : 128x2x128                      %l = ttng.tmem_load %a : 128x128
         %t = tt.trans %r [0, 2, 1] : 128x128x2              %b = ttng.tmem_subslice %m {N = 128}
         %l, %h = tt.split %t                                %h = ttng.tmem_load %b : 128x128

Column halves that are split are loaded separately, so that not all of the tile is in registers at
once; halves that are joined are stored separately. If eight warps load a tile that is reduced along
rows, each row is held by one warp: warps 4 to 7 hold every second group of 16 rows instead of the
upper columns.

    lane 4: row 16, warp 2: upper columns    →    lane 4: upper columns, warp 2: row 16

Keeps: values. Source: measured with Triton 3.7.1.
"""

from __future__ import annotations

from typing import ClassVar, TypeVar

from msgspec import Struct

from weft.analysis.encoding_inference import is_elementwise
from weft.analysis.slices import forward_slice
from weft.ir import attributes, tt, ttg, ttng, types
from weft.ir.builtin import Attribute, ModuleOp, Operation, SSAValue
from weft.ir.folds import FOLDS
from weft.ir.module_attributes import lookup_num_warps
from weft.layouts import Encoding, LinearEncoding, TensorMemoryEncoding
from weft.layouts.tensor_memory import tensor_memory_register_encoding
from weft.passes.ledger import (
    Candidate,
    enabled,
    record_decision,
    record_remaining_layouts,
    snapshot_layouts,
)
from weft.passes.rewrite.greedy import PatternTable, RewriteRules, apply_greedily
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["OptimizeTmemLayouts"]

_HALVES_LAST = (0, 2, 1)
_ROWS = 128  # of tensor memory; a tile with fewer rows has gaps that a column slice cannot express
_MIN_COLUMNS = 8

_Op = TypeVar("_Op", bound=Operation)


class OptimizeTmemLayouts(Struct, frozen=True):
    """Access column halves of TMEM separately, and hold rows to reduce in one warp."""

    name: ClassVar[str] = "triton-nvidia-optimize-tmem-layouts"

    def run(self, module: ModuleOp) -> None:
        """Rewrite loads and stores in place."""
        patterns: PatternTable = {
            tt.SplitOp: (self._split_load,),
            ttng.TMEMStoreOp: (self._joined_store,),
            ttng.TMEMLoadOp: (self._reduced_load,),
        }
        before = snapshot_layouts(module)
        apply_greedily(module, RewriteRules(FOLDS, patterns, top_down=False))
        record_remaining_layouts(self, module, before, "the layout of the value that it replaces")

    # ---------------------------------------------------------------------------------- halves
    def _split_load(self, op: Operation, rewriter: Rewriter) -> bool:
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
            type_ = types.with_encoding(result.type, _registers(part.type, load))
            sizes = {"resultSegmentSizes": attributes.array_i32((1, 0, 0))}
            new_load = rewriter.create(ttng.TMEMLoadOp, (part,), (type_,), sizes, before=load)
            converted = rewriter.create(
                ttg.ConvertLayoutOp, (new_load.results[0],), (result.type,), before=load
            ).results[0]
            reason = "a half of the columns that is used alone is loaded alone"
            self._record(new_load.results[0], reason)
            self._record(converted, "the layout of the users")
            parts.append(converted)
        rewriter.replace(op, parts)
        return True

    def _joined_store(self, op: Operation, rewriter: Rewriter) -> bool:
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
            type_ = types.with_encoding(half.type, _registers(part.type, op))
            value = rewriter.create(ttg.ConvertLayoutOp, (half,), (type_,), before=op).results[0]
            rewriter.create(ttng.TMEMStoreOp, (part, value, true), before=op)
            self._record(value, "a half of the columns that is computed alone is stored alone")
        rewriter.erase(op)
        return True

    # ------------------------------------------------------------------------------------ rows
    def _reduced_load(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, ttng.TMEMLoadOp)
        loaded = op.results[0]
        old = types.encoding(loaded.type)
        if lookup_num_warps(op) != 8 or not _rows_are_reduced(loaded):
            return False
        layout = _by_rows(_registers(op.src.type, op))
        if layout is None or layout is old:
            return False
        type_ = types.with_encoding(loaded.type, layout)
        results = [type_, *(result.type for result in op.results[1:])]
        new_load = rewriter.create(
            ttng.TMEMLoadOp, tuple(op.operands), results, op.properties, before=op
        )
        converted = rewriter.create(
            ttg.ConvertLayoutOp, (new_load.results[0],), (loaded.type,), before=op
        ).results[0]
        reason = "one warp holds each row that is reduced"
        if enabled():
            candidates = [
                Candidate(str(old), "each row in two warps"),
                Candidate(str(layout), "each row in one warp"),
            ]
            record_decision(self, new_load.results[0], str(layout), reason, candidates=candidates)
        self._record(converted, "the layout of the users")
        rewriter.replace(op, [converted, *new_load.results[1:]])
        return True

    def _record(self, value: SSAValue, reason: str) -> None:
        if enabled():
            record_decision(self, value, str(types.encoding(value.type)), reason)


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
    """Check whether halves are at least 8 columns of a buffer with all 128 rows."""
    assert isinstance(memory, ttg.MemDescType)
    return halves[0] == whole[0] and memory.shape[0] == _ROWS and halves[2] >= _MIN_COLUMNS


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
    new_load = rewriter.create(ttng.TMEMSubSliceOp, (buffer,), (type_,), first, before=before)
    return new_load.results[0]


def _registers(memory: Attribute, op: Operation) -> LinearEncoding:
    """Return the register layout in which the warps of an operation access a buffer."""
    assert isinstance(memory, ttg.MemDescType)
    assert memory.encoding is not None
    return tensor_memory_register_encoding(
        memory.encoding.linear(memory.shape), lookup_num_warps(op)
    )


def _rows_are_reduced(loaded: SSAValue) -> bool:
    """Check whether a tile, after elementwise operations, is reduced along its columns."""
    axes: list[int] = []

    def keep(op: Operation) -> bool:
        if isinstance(op, tt.ReduceOp):
            axes.append(op.axis.value.data)
        return isinstance(op, ttg.ConvertLayoutOp) or is_elementwise(op)

    forward_slice(loaded, keep=keep)
    return axes[-1:] == [1]  # of several reductions, the last one of the slice decides


def _by_rows(encoding: LinearEncoding) -> Encoding | None:
    """Swap the bases of the last lane bit (rows) and the last warp bit (columns)."""
    lanes, warps = list(encoding.lane), list(encoding.warp)
    if not (lanes[-1][0] and warps[-1][1]):
        return None
    lanes[-1], warps[-1] = warps[-1], lanes[-1]
    return LinearEncoding(encoding.register, tuple(lanes), tuple(warps), encoding.block)
