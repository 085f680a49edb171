"""Transpose and reshape dot operands as views of buffers (tritongpu-optimize-dot-operands).

Before:  %t = tt.trans %x                     After:  %m = ttg.local_alloc %x
         %m = ttg.local_alloc %t                      %t = ttg.memdesc_trans %m
         ttng.warp_group_dot … %m                     ttng.warp_group_dot … %t

A transposed view of a buffer is free; a transposed tensor is converted through shared memory:

    alloc (trans %x), used by wgmma or tcgen05    → memdesc_trans (alloc %x)
    alloc (reshape %x)                            → memdesc_reshape (alloc %x)
    convert (trans %x) to an operand of mma       → local_load (memdesc_trans (alloc %x))
    tmem_alloc (views of a staged scale)          → views of the buffer, for tcgen05.cp

The last rewrite requires a buffer with the scales in the order of tensor memory: 32x4x4 scales in
512 contiguous bytes. Canonicalizes first.

Keeps: values. Source: measured with Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, TypeVar

from msgspec import Struct

from weft.errors import LayoutError
from weft.ir import attributes, tt, ttg, ttng, types
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.folds import FOLDS
from weft.layouts import DotOperandEncoding, NvmmaSharedEncoding
from weft.layouts.dimension_order import memory_order
from weft.layouts.memdesc_inference import infer_memdesc_reshape, infer_memdesc_trans
from weft.layouts.operand_swizzling import swizzled_operand_encoding
from weft.layouts.tile_builder import dimension_names
from weft.passes.common.canonicalize import canonicalize
from weft.passes.common.canonicalize.convert_layout import PATTERNS as CONVERSIONS
from weft.passes.ledger import enabled, record_decision, record_remaining_layouts, snapshot_layouts
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["OptimizeDotOperands"]

_DOTS = (ttng.WarpGroupDotOp, ttng.TCGen5MMAOp, ttng.TCGen5MMAScaledOp)
_SCALE_ORDER = (0, 3, 2, 1, 4)
_CHUNK = 512  # scales of 128 rows and 4 columns, the unit of a tcgen05.cp
_CHUNK_BITS = 32 * 128

_Op = TypeVar("_Op", bound=Operation)
_Pattern = Callable[[Operation, Rewriter], bool]


class OptimizeDotOperands(Struct, frozen=True):
    """Replace register transposes and reshapes of dot operands by views of shared memory.

    Attributes:
        hoist_layout_conversion: accepted for Triton's pipelines; it has no effect, because
            `tritongpu-remove-layout-conversions` hoists conversions to operands.
    """

    hoist_layout_conversion: bool = True

    name: ClassVar[str] = "tritongpu-optimize-dot-operands"

    def run(self, module: ModuleOp) -> None:
        """Rewrite operands in place."""
        before = snapshot_layouts(module)
        canonicalize(module)
        own: dict[type[Operation], tuple[_Pattern, ...]] = {
            ttg.ConvertLayoutOp: (self._operand_of_transposed,),
            ttg.LocalAllocOp: (self._alloc_of_transposed, self._alloc_of_reshaped),
            ttng.TCGen5MMAScaledOp: (self._scales_by_copy,),
        }
        patterns = {
            cls: own.get(cls, ()) + CONVERSIONS.get(cls, ()) for cls in {**own, **CONVERSIONS}
        }
        apply_greedily(module, RewriteRules(FOLDS, patterns, top_down=False))
        record_remaining_layouts(self, module, before, "folded, in the layout of its users")

    # --------------------------------------------------------------------------- operands of mma
    def _operand_of_transposed(self, op: Operation, rewriter: Rewriter) -> bool:
        target = types.encoding(op.results[0].type)
        trans = op.operands[0].owner
        if not isinstance(target, DotOperandEncoding) or not _is_transposed(trans):
            return False
        if not isinstance(_only_user(op), tt.DotOp):
            return False
        assert isinstance(trans, tt.TransOp)
        type_ = _before_conversion(trans.src).type
        source, shape = types.encoding(type_), types.shape(type_)
        assert source is not None
        order = memory_order(source, shape)
        buffer = swizzled_operand_encoding(
            target, shape, order, types.bit_width(type_), source=source, transposed=True
        )
        memory = ttg.MemDescType.of(shape, types.element(type_), buffer, ttg.SharedMemoryAttr())
        alloc = rewriter.create(ttg.LocalAllocOp, (trans.src,), (memory,), before=trans)
        view = _transposed(alloc.results[0], trans, rewriter)
        load = rewriter.create(ttg.LocalLoadOp, (view,), (op.results[0].type,), before=trans)
        if enabled():
            reason = "a transposed operand is loaded from a transposed view"
            record_decision(self, alloc.results[0], str(buffer), reason, anchor=op.name)
            record_decision(self, load.results[0], str(target), reason, anchor=op.name)
        rewriter.replace(op, load.results)
        return True

    # -------------------------------------------------------------- operands of wgmma and tcgen05
    def _alloc_of_transposed(self, op: Operation, rewriter: Rewriter) -> bool:
        type_ = op.results[0].type
        dot = _only_user(op)
        if not op.operands or not isinstance(dot, _DOTS):
            return False
        trans = op.operands[0].owner
        assert isinstance(type_, ttg.MemDescType)
        old = type_.encoding
        if not _is_transposed(trans) or not isinstance(old, NvmmaSharedEncoding):
            return False
        assert isinstance(trans, tt.TransOp)
        # A transposed view of the new buffer has the encoding of the old one.
        buffer = infer_memdesc_trans(old, (1, 0))
        shape = types.shape(trans.src.type)
        memory = ttg.MemDescType.of(shape, type_.element_type, buffer, type_.memory_space)
        alloc = rewriter.create(ttg.LocalAllocOp, (trans.src,), (memory,), before=op)
        if enabled():
            reason = "the instruction reads a transposed view of the buffer"
            record_decision(self, alloc.results[0], str(buffer), reason, anchor=dot.name)
        rewriter.replace(op, (_transposed(alloc.results[0], op, rewriter),))
        return True

    def _alloc_of_reshaped(self, op: Operation, rewriter: Rewriter) -> bool:
        if not op.operands or not isinstance(op.operands[0].owner, tt.ReshapeOp):
            return False
        type_, source = op.results[0].type, op.operands[0].owner.operands[0]
        assert isinstance(type_, ttg.MemDescType)
        assert type_.encoding is not None
        shape = types.shape(source.type)
        buffer = infer_memdesc_reshape(type_.encoding, type_.shape, shape)
        if not isinstance(buffer, NvmmaSharedEncoding):
            return False
        memory = ttg.MemDescType.of(shape, type_.element_type, buffer, type_.memory_space)
        alloc = rewriter.create(ttg.LocalAllocOp, (source,), (memory,), before=op)
        view = rewriter.create(ttg.MemDescReshapeOp, alloc.results, (type_,), before=op)
        if enabled():
            record_decision(self, alloc.results[0], str(buffer), "reshaped as a view of the buffer")
        rewriter.replace(op, view.results)
        return True

    # ------------------------------------------------------------------------------------- scales
    def _scales_by_copy(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, ttng.TCGen5MMAScaledOp)
        changed = False
        for scale in (op.a_scale, op.b_scale):
            alloc = scale.owner
            if not isinstance(alloc, ttng.TMEMAllocOp) or alloc.src is None:
                continue
            view = _staged_view(alloc, rewriter)
            if view is None:
                continue
            if enabled():
                assert isinstance(view.type, ttg.MemDescType)
                reason = (
                    "scales in shared memory have the order of tensor memory: copied by tcgen05.cp"
                )
                record_decision(self, view, str(view.type.encoding), reason, anchor=op.name)
            index = next(use.index for use in scale.uses if use.operation is op)
            rewriter.set_operand(op, index, view)
            if scale.first_use is None:
                rewriter.erase(alloc)
            changed = True
        return changed


def _only_user(op: Operation) -> Operation | None:
    """Return the only user of a result; None if it has several uses or none."""
    uses = tuple(op.results[0].uses)
    return uses[0].operation if len(uses) == 1 else None


def _is_transposed(op: object) -> bool:
    return isinstance(op, tt.TransOp) and attributes.array_values(op.order) == (1, 0)


def _before_conversion(value: SSAValue) -> SSAValue:
    return value.owner.operands[0] if isinstance(value.owner, ttg.ConvertLayoutOp) else value


def _transposed(buffer: SSAValue, before: Operation, rewriter: Rewriter) -> SSAValue:
    """Create a transposed view of a 2-D buffer."""
    return _permuted(buffer, (1, 0), before, rewriter)


def _permuted(
    buffer: SSAValue, order: tuple[int, ...], before: Operation, rewriter: Rewriter
) -> SSAValue:
    old = buffer.type
    assert isinstance(old, ttg.MemDescType)
    assert old.encoding is not None
    type_ = ttg.MemDescType.of(
        tuple(old.shape[dim] for dim in order),
        old.element_type,
        infer_memdesc_trans(old.encoding, order),
        old.memory_space,
        mutable=old.is_mutable,
    )
    properties = {"order": attributes.array_i32(order)}
    new_op = rewriter.create(ttg.MemDescTransOp, (buffer,), (type_,), properties, before=before)
    return new_op.results[0]


def _reshaped(
    buffer: SSAValue, shape: tuple[int, ...], before: Operation, rewriter: Rewriter
) -> SSAValue:
    old = buffer.type
    assert isinstance(old, ttg.MemDescType)
    assert old.encoding is not None
    type_ = ttg.MemDescType.of(
        shape,
        old.element_type,
        infer_memdesc_reshape(old.encoding, old.shape, shape),
        old.memory_space,
        mutable=old.is_mutable,
    )
    new_op = rewriter.create(ttg.MemDescReshapeOp, (buffer,), (type_,), before=before)
    return new_op.results[0]


def _staged_view(alloc: ttng.TMEMAllocOp, rewriter: Rewriter) -> SSAValue | None:
    """Create a view of the shared-memory buffer that a scale was loaded from.

    Matches alloc (reshape (trans (reshape (local_load %buffer)))), ignoring conversions, with the
    order in which tensor memory holds scales: (m, k, 32, 4, 4), transposed by (0, 3, 2, 1, 4).

    Returns: the view; None if the pattern does not match.
    """
    assert alloc.src is not None
    rows, columns = types.shape(alloc.src.type)
    reshape = _defining(alloc.src, tt.ReshapeOp)
    trans = None if reshape is None else _defining(reshape.src, tt.TransOp)
    if trans is None or attributes.array_values(trans.order) != _SCALE_ORDER:
        return None
    chunked = _defining(trans.src, tt.ReshapeOp)
    chunks = (rows // 128, columns // 4, 32, 4, 4)
    if chunked is None or types.shape(chunked.result.type) != chunks:
        return None
    load = _defining(chunked.src, ttg.LocalLoadOp)
    if load is None or not _is_copyable(load.src):
        return None
    view = _reshaped(load.src, chunks, alloc, rewriter)
    view = _permuted(view, _SCALE_ORDER, alloc, rewriter)
    return _reshaped(view, (rows, columns), alloc, rewriter)


def _defining(value: SSAValue, cls: type[_Op]) -> _Op | None:
    """Return the defining operation of a value, ignoring conversions, if it is of a class."""
    while isinstance(value.owner, ttg.ConvertLayoutOp):
        value = value.owner.operands[0]
    return value.owner if isinstance(value.owner, cls) else None


def _is_copyable(buffer: SSAValue) -> bool:
    """Check whether a buffer holds chunks of scales contiguously."""
    type_ = buffer.type
    assert isinstance(type_, ttg.MemDescType)
    assert type_.encoding is not None
    try:
        layout = type_.encoding.linear(type_.shape)
    except LayoutError:
        return False
    reshape = layout.transpose_outs(dimension_names(len(type_.shape))[::-1]).flatten_outs()
    if reshape.num_consecutive() < _CHUNK:
        return False
    alloc = _defining(buffer, ttg.LocalAllocOp)
    if alloc is not None and alloc.src is not None:
        if _defining(alloc.src, tt.DescriptorLoadOp) is not None:
            return True
    bits = types.bit_width(type_.element_type)
    return len(type_.shape) == 2 and type_.shape[-1] * bits % _CHUNK_BITS == 0
