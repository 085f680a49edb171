"""What `tt.addptr` does to a pair.

A pointer into a small array keeps the array as its base, and gathers all in its 32-bit offset:

    (%a, splat %m) + (splat %n + range)   →   (%a, splat (%m + %n) + range)

What all elements share is summed as scalars first. A tensor that repeats a scalar counts as a
tensor, unless the shared sum is a constant other than 0: then a scalar joins it more cheaply than
a splat of that sum would be made.

A pointer into a large array takes the shared part into its base, by a 64-bit addition, and keeps
in its offset what differs from element to element:

    (%a, %o) + (splat %n + range)         →   (addptr %a, %n;  %o + range)
"""

from __future__ import annotations

from weft.ir import tt, types
from weft.ir.builtin import OpResult, SSAValue
from weft.ir.rewriting import defining_op
from weft.passes.amd.canonicalize_pointers.offsets import Offsets, is_scalar_constant, is_zero
from weft.passes.amd.canonicalize_pointers.pair import Pair
from weft.passes.amd.canonicalize_pointers.splitting import Splitter

__all__ = ["advanced"]

_HINTS = ("tt.divisibility", "tt.contiguity", "tt.constancy")


def advanced(op: tt.AddPtrOp, pair: Pair) -> Pair:
    """Return the pair that an addition to a pair gives, made before it."""
    make = Offsets(op)
    offset = op.operands[1]
    if pair.small:
        return Pair(pair.base, _within(make, pair.offset, offset), True, False, pair.attributes)
    return _beyond(make, op, pair, offset)


def _within(make: Offsets, first: SSAValue, second: SSAValue) -> SSAValue:
    """Return the sum of two offsets within a small array, at most 32 bits wide."""
    splitter = Splitter(make)
    shared: list[SSAValue] = []
    differing: list[SSAValue] = []
    repeated: list[tuple[SSAValue, SSAValue]] = []
    for offset in (first, second):
        if not types.is_tensor(offset.type):
            shared.append(offset)
        elif (scalar := splitter.scalar_of(offset)) is not None:
            repeated.append((offset, scalar))
        else:
            scalar, rest = splitter.split(offset)
            shared.append(scalar)
            differing.append(rest)
    scalar, tensor = _sum(make, None, shared), _sum(make, None, differing)
    if repeated:
        # With nothing else that is a tensor, the result must get its shape from these.
        is_number = scalar is not None and is_scalar_constant(scalar) and not is_zero(scalar)
        if differing and is_number:
            scalar = _sum(make, scalar, [one for _, one in repeated])
        else:
            tensor = _sum(make, tensor, [spread for spread, _ in repeated])
    total = _together(make, splitter, scalar, tensor)
    return make.cast(total, types.i32) if types.bit_width(total.type) > 32 else total


def _sum(make: Offsets, start: SSAValue | None, terms: list[SSAValue]) -> SSAValue | None:
    for term in terms:
        start = term if start is None else make.add(start, term)
    return start


def _together(
    make: Offsets, splitter: Splitter, scalar: SSAValue | None, tensor: SSAValue | None
) -> SSAValue:
    if scalar is None or tensor is None:
        only = tensor if scalar is None else scalar
        assert only is not None, "an offset has parts"
        return only
    spread = splitter.splats.get((scalar, tensor.type))
    return make.add_uniform(scalar, tensor) if spread is None else make.add(spread, tensor)


def _beyond(make: Offsets, op: tt.AddPtrOp, pair: Pair, offset: SSAValue) -> Pair:
    """Advance within an array of any size: the base takes what all elements share."""
    scalar = offset if not types.is_tensor(offset.type) else make.scalar_of(offset)
    if scalar is not None:
        return pair.moved(_bumped(make, op, pair.base, scalar), pair.offset)
    scalar, rest = Splitter(make).split(offset)
    base = _bumped(make, op, pair.base, scalar)
    if is_zero(rest):
        return pair.moved(base, pair.offset)
    starts = isinstance(defining_op(pair.offset), tt.SplatOp)
    narrow = pair.narrow and starts and types.element(rest.type) == types.i32
    total = make.add(make.cast(rest, types.element(pair.offset.type)), pair.offset)
    return Pair(base, total, False, narrow, dict(base.op.attributes))


def _bumped(make: Offsets, op: tt.AddPtrOp, base: SSAValue, by: SSAValue) -> OpResult:
    """Return a base pointer moved by a scalar, with the hints of a scalar addition kept."""
    rank = len(types.shape(op.results[0].type)) or 1
    hints = {name: op.attributes[name] for name in _HINTS if name in op.attributes}
    kept = hints if rank == 1 else {}
    return make.builder.create(tt.AddPtrOp, [base, by], [base.type], attributes=kept).results[0]
