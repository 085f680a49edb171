"""Apply `tt.addptr` to a fat pointer.

A pointer into a small array keeps the argument as its base; its 32-bit offset takes the whole sum:

    (%a, splat %m) + (splat %n + range)   →   (%a, splat (%m + %n) + range)

The uniform parts, which all elements share, are added as scalars first. A splat counts as a tensor,
unless the uniform sum is a nonzero constant: then adding its scalar is cheaper than splatting that
sum.

A pointer into a large array adds the uniform part to its base, with a 64-bit addition, and the rest
to its offset:

    (%a, %o) + (splat %n + range)         →   (addptr %a, %n;  %o + range)
"""

from __future__ import annotations

from weft.ir import tt, types
from weft.ir.builtin import OpResult, SSAValue
from weft.ir.rewriting import defining_op
from weft.passes.amd.canonicalize_pointers.fat_pointer import FatPointer
from weft.passes.amd.canonicalize_pointers.offsets import Offsets, is_scalar_constant, is_zero
from weft.passes.amd.canonicalize_pointers.uniform_offsets import OffsetSplitter

__all__ = ["advance"]

_HINTS = ("tt.divisibility", "tt.contiguity", "tt.constancy")


def advance(op: tt.AddPtrOp, fat_pointer: FatPointer) -> FatPointer:
    """Create the fat pointer of an addition, before the operation.

    Args:
        op: the addition.
        fat_pointer: its pointer operand.
    """
    offsets = Offsets(op)
    offset = op.operands[1]
    if fat_pointer.is_small:
        return FatPointer(
            fat_pointer.base,
            _advance_small(offsets, fat_pointer.offset, offset),
            True,
            False,
            fat_pointer.attributes,
        )
    return _advance_large(offsets, op, fat_pointer, offset)


def _advance_small(offsets: Offsets, first: SSAValue, second: SSAValue) -> SSAValue:
    """Add two offsets within a small array; the result has at most 32 bits."""
    splitter = OffsetSplitter(offsets)
    shared: list[SSAValue] = []
    differing: list[SSAValue] = []
    splats: list[tuple[SSAValue, SSAValue]] = []
    for offset in (first, second):
        if not types.is_tensor(offset.type):
            shared.append(offset)
        elif (scalar := splitter.scalar_of(offset)) is not None:
            splats.append((offset, scalar))
        else:
            scalar, rest = splitter.split(offset)
            shared.append(scalar)
            differing.append(rest)
    scalar, tensor = _sum(offsets, None, shared), _sum(offsets, None, differing)
    if splats:
        # Without another tensor, the splats give the result its shape.
        is_number = scalar is not None and is_scalar_constant(scalar) and not is_zero(scalar)
        if differing and is_number:
            scalar = _sum(offsets, scalar, [source for _, source in splats])
        else:
            tensor = _sum(offsets, tensor, [splat for splat, _ in splats])
    total = _combine(offsets, splitter, scalar, tensor)
    return offsets.cast(total, types.i32) if types.bit_width(total.type) > 32 else total


def _sum(offsets: Offsets, start: SSAValue | None, terms: list[SSAValue]) -> SSAValue | None:
    for term in terms:
        start = term if start is None else offsets.add(start, term)
    return start


def _combine(
    offsets: Offsets, splitter: OffsetSplitter, scalar: SSAValue | None, tensor: SSAValue | None
) -> SSAValue:
    if scalar is None or tensor is None:
        only = tensor if scalar is None else scalar
        assert only is not None, "an offset has at least one part"
        return only
    splat = splitter.splats.get((scalar, tensor.type))
    return offsets.add_uniform(scalar, tensor) if splat is None else offsets.add(splat, tensor)


def _advance_large(
    offsets: Offsets, op: tt.AddPtrOp, fat_pointer: FatPointer, offset: SSAValue
) -> FatPointer:
    """Advance within an array of any size: the uniform part is added to the base."""
    scalar = offset if not types.is_tensor(offset.type) else offsets.scalar_of(offset)
    if scalar is not None:
        return fat_pointer.with_values(
            _advance_base(offsets, op, fat_pointer.base, scalar), fat_pointer.offset
        )
    scalar, rest = OffsetSplitter(offsets).split(offset)
    base = _advance_base(offsets, op, fat_pointer.base, scalar)
    if is_zero(rest):
        return fat_pointer.with_values(base, fat_pointer.offset)
    starts = isinstance(defining_op(fat_pointer.offset), tt.SplatOp)
    is_narrow = fat_pointer.is_narrow and starts and types.element(rest.type) == types.i32
    total = offsets.add(
        offsets.cast(rest, types.element(fat_pointer.offset.type)), fat_pointer.offset
    )
    return FatPointer(base, total, False, is_narrow, dict(base.op.attributes))


def _advance_base(offsets: Offsets, op: tt.AddPtrOp, base: SSAValue, step: SSAValue) -> OpResult:
    """Add a scalar to the base; keep the axis hints of a scalar addition."""
    rank = len(types.shape(op.results[0].type)) or 1
    hints = {name: op.attributes[name] for name in _HINTS if name in op.attributes}
    attributes = hints if rank == 1 else {}
    return offsets.builder.create(
        tt.AddPtrOp, [base, step], [base.type], attributes=attributes
    ).results[0]
