"""Give an operation another layout, and convert what it reads and gives around it.

    %v = tt.load %p : … #blocked          →      %q = ttg.convert_layout %p : … #blocked -> … #new
                                                 %w = tt.load %q : … #new
                                                 %v = ttg.convert_layout %w : … #new -> … #blocked

Conversions that turn out to change nothing are for remove-layout-conversions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.ir import ttg, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.rewriting import Builder, erase
from weft.layouts import Encoding

__all__ = ["lay_out", "lay_out_as"]


def lay_out(
    op: Operation, encoding: Encoding, is_laid_out: Callable[[Operation, SSAValue], bool]
) -> Operation:
    """Give an operation a layout, for its results and the operands that take it too.

    Returns: the operation in the place of the old one.
    """
    operands = [
        types.with_encoding(one.type, encoding) if is_laid_out(op, one) else None
        for one in op.operands
    ]
    results = [types.with_encoding(one.type, encoding) for one in op.results]
    return lay_out_as(op, operands, results)


def lay_out_as(
    op: Operation, operands: Sequence[Attribute | None], results: Sequence[Attribute]
) -> Operation:
    """Give an operation operands and results of other layouts; regions go with it.

    Args: operands: their types; None for one that stays.
    Returns: the operation in the place of the old one.
    """
    builder = Builder(op.location).before(op)
    given = [
        builder.value(ttg.ConvertLayoutOp, [value], type_) if type_ is not None else value
        for value, type_ in zip(op.operands, operands, strict=True)
    ]
    laid_out = type(op).create(
        operands=given,
        result_types=list(results),
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        regions=[op.detach_region(region) for region in list(op.regions)],
        location=op.location,
    )
    builder.insert(laid_out)
    for old, new in zip(op.results, laid_out.results, strict=True):
        value: SSAValue = new
        if new.type != old.type:
            value = builder.value(ttg.ConvertLayoutOp, [new], old.type)
        value.name_hint = old.name_hint
        old.replace_all_uses_with(value)
    erase(op)
    return laid_out
