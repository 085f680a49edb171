"""The cost model: a layout conversion against rematerializing its operand.

Costs are in thousandths of a cycle of one SM. A conversion is assumed to go through shared memory:
each byte is stored and loaded, 8 each, and twice that accounts for the barrier in between. Elements
count as at least 32 bits and tensors as at least 32 elements, the granularity of banks and warps.

    %x = arith.mulf %p, %q : tensor<128x64xf16, #a>           1 per byte:   16384
    %y = ttg.convert_layout %x : #a -> #b                     32 per byte: 1048576 (as f32)

Arithmetic costs 1 per byte of its result; operations that take several instructions or the special
function unit cost 8; a load costs 8, assuming a cache hit. Constants and operations without
instructions are free. An operation of the slice that only the conversion uses is free, too: it is
not duplicated but replaced.
Source: measured on Triton 3.7.1 by its debug output.
"""

from __future__ import annotations

from math import prod

from msgspec import Struct

from weft.ir import arith, math, tt, ttg, types
from weft.ir.builtin import Attribute, Operation, OpResult
from weft.passes.ttgir.remove_layout_conversions.backward_slice import BackwardSlice

__all__ = ["Comparison", "compare_costs", "conversion_cost"]

_CONVERSION_COST = 32  # per byte, as the next three
_LOAD_COST = 8
_EXPENSIVE_COST = 8
_ARITHMETIC_COST = 1
_MIN_ELEMENTS = _MIN_BITS = 32
_STEP_COST_BETWEEN_WARPS = 8

_ARITHMETIC = frozenset({*arith.Arith.operations, *math.Math.operations})
_EXPENSIVE = frozenset(
    {
        arith.DivFOp,
        math.CosOp,
        math.ErfOp,
        math.Exp2Op,
        math.ExpM1Op,
        math.ExpOp,
        math.Log10Op,
        math.Log1pOp,
        math.Log2Op,
        math.LogOp,
        math.RsqrtOp,
        math.SinOp,
        math.SqrtOp,
        math.TanOp,
        math.TanhOp,
    }
)


class Comparison(Struct, frozen=True):
    """The costs of a conversion and of its alternative.

    Attributes:
        conversion: The cost of the conversion.
        rematerialization: The cost of the alternative, the sum of `terms`.
        terms: (operation, cost).
        forbidden: Why the alternative is not allowed at any cost, "" if it is allowed.
    """

    conversion: int
    rematerialization: int
    terms: tuple[tuple[str, int], ...]
    forbidden: str = ""

    @property
    def pays_off(self) -> bool:
        """Whether the alternative costs no more than the conversion."""
        return not self.forbidden and self.conversion >= self.rematerialization


def conversion_cost(source: Attribute) -> int:
    """Compute the cost of converting a tensor of a type to any layout."""
    return _CONVERSION_COST * _size(source, _MIN_ELEMENTS, _MIN_BITS)


def compare_costs(
    conversion: Operation, slice_: BackwardSlice, conversions_cost: int = 0
) -> Comparison:
    """Compare a conversion with the duplication of a slice that makes it unnecessary.

    Args:
        conversion: The conversion.
        slice_: The slice.
        conversions_cost: The cost of conversions at the ends of the slice.
    """
    cost = conversion_cost(conversion.operands[0].type)
    slice_ops = dict.fromkeys(v.op for v in slice_.values if isinstance(v, OpResult))
    # Only operations that remain in the old layout as well are computed twice.
    duplicated = _duplicated_operations(conversion, slice_ops)
    terms = [("ttg.convert_layout", conversions_cost)] if conversions_cost else []
    for op in slice_ops:
        if op not in duplicated:
            continue
        # Both results would be used, and must be equal to the bit.
        if isinstance(op, tt.ReduceOp) and not _is_associative(op):
            reason = "a float reduction in another order gives another result"
            return Comparison(cost, 0, tuple(terms), reason)
        op_cost = _operation_cost(op)
        if op_cost:
            terms.append((op.name, op_cost))
    return Comparison(cost, sum(op_cost for _, op_cost in terms), tuple(terms))


def _size(type_: Attribute, min_elements: int = 0, min_bits: int = 0) -> int:
    """Compute the bytes of a tensor; pointers count as `min_bits`."""
    if not types.is_tensor(type_):
        return min_elements * min_bits >> 3
    element = types.element(type_)
    bits = 0 if types.is_pointer(element) else types.bit_width(element)
    return max(prod(types.shape(type_)), min_elements) * max(bits, min_bits) >> 3


def _operation_cost(op: Operation) -> int:
    """Compute the cost of duplicating an operation."""
    cls = type(op)
    if cls is arith.ConstantOp:
        return 0
    if isinstance(op, tt.ReduceOp):
        return _reduction_cost(op)
    if cls is tt.LoadOp or cls is ttg.LocalLoadOp:
        cost_per_byte = _LOAD_COST
    elif cls in _EXPENSIVE:
        cost_per_byte = _EXPENSIVE_COST
    elif cls in _ARITHMETIC:
        cost_per_byte = _ARITHMETIC_COST
    else:
        return 0
    return cost_per_byte * sum(_size(result.type) for result in op.results)


def _reduction_cost(op: tt.ReduceOp) -> int:
    """Compute the cost of a reduction from the lanes and warps along its axis."""
    source = op.operands[0].type
    encoding, shape = types.encoding(source), types.shape(source)
    axis = op.axis.value.data
    assert encoding is not None
    bases = encoding.linear(shape).bases
    lanes, warps = (
        1 << sum(1 for vector in bases[name] if vector[axis]) for name in ("lane", "warp")
    )
    return lanes + _STEP_COST_BETWEEN_WARPS * warps


def _is_associative(op: tt.ReduceOp) -> bool:
    """Check whether the result of a reduction does not depend on the order of elements."""
    source = op.operands[0].type
    axis = op.axis.value.data
    # Two elements have one order but for commutation, which is exact.
    if not types.is_float(types.element(source)) or types.shape(source)[axis] <= 2:
        return True
    return not any(isinstance(inner, arith.AddFOp | arith.MulFOp) for inner in op.walk())


def _duplicated_operations(
    conversion: Operation, slice_ops: dict[Operation, None]
) -> set[Operation]:
    """Find the operations of a slice that are still needed in their old layout.

    These are the ones with users outside of the slice, and their operands.
    """
    worklist = [op for op in slice_ops if _has_other_users(op, conversion, slice_ops)]
    duplicated = set(worklist)
    while worklist:
        for value in worklist.pop().operands:
            if isinstance(value, OpResult) and value.op in slice_ops and value.op not in duplicated:
                duplicated.add(value.op)
                worklist.append(value.op)
    return duplicated


def _has_other_users(
    op: Operation, conversion: Operation, slice_ops: dict[Operation, None]
) -> bool:
    users = (use.operation for result in op.results for use in result.uses)
    return any(user is not conversion and user not in slice_ops for user in users)
