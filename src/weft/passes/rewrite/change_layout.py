"""Change the layout of an operation, and convert its operands and results around it.

    %v = tt.load %p : … #blocked          →      %q = ttg.convert_layout %p : … #blocked -> … #new
                                                 %w = tt.load %q : … #new
                                                 %v = ttg.convert_layout %w : … #new -> … #blocked

`tritongpu-remove-layout-conversions` removes the conversions that turn out to be unnecessary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.ir import ttg, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.rewriting import Builder, erase
from weft.layouts import Encoding

__all__ = ["change_layout", "change_types"]


def change_layout(
    op: Operation, encoding: Encoding, is_converted: Callable[[Operation, SSAValue], bool]
) -> Operation:
    """Give an operation another layout.

    Args:
        op: The operation, which is replaced.
        encoding: The layout of all its results.
        is_converted: Whether an operand of the operation has this layout, too.

    Returns:
        The new operation.
    """
    operand_types = [
        types.with_encoding(operand.type, encoding) if is_converted(op, operand) else None
        for operand in op.operands
    ]
    result_types = [types.with_encoding(result.type, encoding) for result in op.results]
    return change_types(op, operand_types, result_types)


def change_types(
    op: Operation, operand_types: Sequence[Attribute | None], result_types: Sequence[Attribute]
) -> Operation:
    """Replace an operation by one on operands and results with other layouts.

    Args:
        op: The operation, which is replaced. The new one takes over its regions.
        operand_types: The types to convert operands to, None for one that stays.
        result_types: The types of the new results.

    Returns:
        The new operation.
    """
    builder = Builder(op.location).before(op)
    operands = [
        builder.value(ttg.ConvertLayoutOp, [value], type_) if type_ is not None else value
        for value, type_ in zip(op.operands, operand_types, strict=True)
    ]
    new_op = type(op).create(
        operands=operands,
        result_types=list(result_types),
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        regions=[op.detach_region(region) for region in list(op.regions)],
        location=op.location,
    )
    builder.insert(new_op)
    for old, new in zip(op.results, new_op.results, strict=True):
        value: SSAValue = new
        if new.type != old.type:
            value = builder.value(ttg.ConvertLayoutOp, [new], old.type)
        value.name_hint = old.name_hint
        old.replace_all_uses_with(value)
    erase(op)
    return new_op
