"""What a conversion costs, and what it costs to compute again what it converts.

In thousandths of a cycle of one multiprocessor. A conversion is taken to go through shared memory:
every byte is stored and loaded, 8 for each, and twice that for the wait in between. An element
counts as at least 32 bits, a tensor as at least 32 elements: that is what a bank and a warp move.

    %x = arith.mulf %p, %q : tensor<128x64xf16, #a>           1 for each byte:  16384
    %y = ttg.convert_layout %x : #a -> #b                     32 for each:     524288 (as f32)

Arithmetic costs 1 for each byte of its result, what takes several instructions or the special
function unit 8, a load 8 (from the cache, it is hoped). A constant costs nothing, nor does what
needs no instruction of its own. And what only the conversion read costs nothing either: it is not
done again, but done in the other layout.
Source: seed values measured on Triton 3.7.1, by its debug lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from weft.ir import arith, math, tt, ttg, types
from weft.ir.builtin import Attribute, Operation, OpResult
from weft.passes.ttgir.remove_layout_conversions.backward_slice import Slice

__all__ = ["Comparison", "compare", "conversion_cost"]

CONVERT, LOAD, SLOW, FAST = 32, 8, 8, 1
_LEAST = 32

_ARITHMETIC = frozenset({*arith.Arith.operations, *math.Math.operations})
_SLOW = frozenset(
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


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both sides: to convert, and to compute again in the other layout.

    terms: what the second side sums, as (what, cost).  refused: why it must not be done at any
    price, "" otherwise.
    """

    convert: int
    repeat: int
    terms: tuple[tuple[str, int], ...]
    refused: str = ""

    @property
    def pays(self) -> bool:
        """Tell whether to compute again is no dearer than to convert."""
        return not self.refused and self.convert >= self.repeat


def conversion_cost(source: Attribute) -> int:
    """Return what it costs to convert a tensor of type `source`, whatever to."""
    return CONVERT * _bytes(source, _LEAST)


def compare(conversion: Operation, slice_: Slice, extra: int = 0) -> Comparison:
    """Weigh a conversion against a slice that would make it needless.

    Args: extra: the cost of conversions that the slice needs itself.
    """
    convert = conversion_cost(conversion.operands[0].type)
    done = dict.fromkeys(v.op for v in slice_.values if isinstance(v, OpResult))
    twice = _repeated(conversion, done)
    terms: list[tuple[str, int]] = [("ttg.convert_layout", extra)] if extra else []
    for op in done:
        if op not in twice:
            continue
        if isinstance(op, tt.ReduceOp) and not _is_associative(op):
            why = "sums of floats in another order give other results"
            return Comparison(convert, 0, tuple(terms), why)
        cost = _cost(op)
        if cost:
            terms.append((op.name, cost))
    return Comparison(convert, sum(cost for _, cost in terms), tuple(terms))


def _bytes(type_: Attribute, least: int = 0) -> int:
    if not types.is_tensor(type_):
        return least * least >> 3
    element = types.element(type_)
    bits = 0 if types.is_pointer(element) else types.bit_width(element)
    return max(prod(types.shape(type_)), least) * max(bits, least) >> 3


def _cost(op: Operation) -> int:
    """Return what it costs to do an operation once more."""
    cls = type(op)
    if cls is arith.ConstantOp:
        return 0
    if cls is tt.LoadOp or cls is ttg.LocalLoadOp:
        price = LOAD
    elif cls in _ARITHMETIC:
        price = SLOW if cls in _SLOW else FAST
    else:
        return _reduction(op) if cls is tt.ReduceOp else 0
    return price * sum(_bytes(result.type) for result in op.results)


def _reduction(op: Operation) -> int:
    """Return the steps of a reduction between threads, those between warps at 8."""
    source = op.operands[0].type
    encoding, shape = types.encoding(source), types.shape(source)
    axis = op.properties["axis"].value.data  # pyright: ignore[reportAttributeAccessIssue]
    assert encoding is not None
    bases = encoding.linear(shape).bases
    lanes, warps = (
        1 << sum(1 for vector in bases[name] if vector[axis]) for name in ("lane", "warp")
    )
    return lanes + 8 * warps


def _is_associative(op: tt.ReduceOp) -> bool:
    """Tell whether the order in which a reduction combines is of no consequence."""
    source = op.operands[0].type
    axis = op.axis.value.data
    if not types.is_float(types.element(source)) or types.shape(source)[axis] <= 2:
        return True
    return not any(isinstance(inner, arith.AddFOp | arith.MulFOp) for inner in op.walk())


def _repeated(conversion: Operation, done: dict[Operation, None]) -> set[Operation]:
    """Return the operations of a slice that are needed in their old layout all the same.

    Those that others read, and what those read.
    """
    todo = [op for op in done if _is_read_elsewhere(op, conversion, done)]
    found = set(todo)
    while todo:
        for value in todo.pop().operands:
            if isinstance(value, OpResult) and value.op in done and value.op not in found:
                found.add(value.op)
                todo.append(value.op)
    return found


def _is_read_elsewhere(op: Operation, conversion: Operation, done: dict[Operation, None]) -> bool:
    for result in op.results:
        for use in result.uses:
            user = use.operation
            if user is not conversion and user not in done:
                return True
    return False
