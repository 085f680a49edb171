"""Set and clear operands by name, and erase results.

set_operand(mma, "useD", %false)      ttng.tc_gen5_mma …, %false, %pred
set_operand(store, "dep", None)       ttng.tmem_store %x, %m, %true
erase_result(load, 1, %token)         %x = ttng.tmem_load %m: users of its token use %token
"""

from __future__ import annotations

from xdsl.irdl import AttrSizedOperandSegments

from weft.ir import attributes
from weft.ir.builtin import Operation, OpResult, SSAValue
from weft.ir.operation import Op
from weft.ir.rewriting import Builder, replace

__all__ = ["append_operands", "erase_result", "operand_range", "set_operand"]

_OPERAND_SIZES, _RESULT_SIZES = "operandSegmentSizes", "resultSegmentSizes"


def operand_range(op: Op, name: str) -> tuple[int, int]:
    """Find the operands of a name: the first index, and the one after the last."""
    definition = op.get_irdl_definition()
    names = [operand_name for operand_name, _ in definition.operands]
    if _has_segments(op):
        sizes = attributes.array_values(op.properties[_OPERAND_SIZES])
        position = names.index(name)
        return sum(sizes[:position]), sum(sizes[: position + 1])
    count = len(op.operands)
    if name in op.OPTIONALS:
        start = len(names) - 1 + op.OPTIONALS.index(name)
        return min(start, count), min(start + 1, count)
    # At most one operand is optional: it has those that are more than the others.
    extra = count - len(names) + 1
    start = 0
    for operand_name, operand in definition.operands:
        size = 1 if type(operand).__name__ == "OperandDef" else extra
        if operand_name == name:
            return start, start + size
        start += size
    raise KeyError(name)


def set_operand(op: Op, name: str, value: SSAValue | None) -> None:
    """Set an operand by its name, whether or not the operation has it; None clears it."""
    start, end = operand_range(op, name)
    values = [] if value is None else [value]
    op.operands = [*op.operands[:start], *values, *op.operands[end:]]
    if _has_segments(op):
        _set_size(op, name, len(values))


def append_operands(op: Op, name: str, *values: SSAValue) -> None:
    """Append to a variadic operand by its name; the operation stores the sizes of segments."""
    start, end = operand_range(op, name)
    op.operands = [*op.operands[:end], *values, *op.operands[end:]]
    _set_size(op, name, end - start + len(values))


def erase_result(op: Op, index: int, replacement: SSAValue) -> Op:
    """Replace an operation by one without one of its results.

    Args:
        op: The operation.
        index: The index of the result, which is alone in its group.
        replacement: The value that replaces it.

    Returns:
        The new operation.
    """
    properties = dict(op.properties)
    if _RESULT_SIZES in properties:
        sizes = list(attributes.array_values(properties[_RESULT_SIZES]))
        group = next(i for i in range(len(sizes)) if sum(sizes[:i]) == index and sizes[i])
        sizes[group] = 0
        properties[_RESULT_SIZES] = attributes.array_i32(tuple(sizes))
    result_types = [result.type for result in op.results if result.index != index]
    builder = Builder().before(op)
    new_op = builder.create(type(op), list(op.operands), result_types, properties, op.attributes)
    values: list[SSAValue | OpResult] = list(new_op.results)
    values.insert(index, replacement)
    for old, new in zip(op.results, values, strict=True):
        if old.index != index:
            new.name_hint = old.name_hint
    replace(op, values)
    return new_op


def _has_segments(op: Operation) -> bool:
    assert isinstance(op, Op)
    options = op.get_irdl_definition().options
    return any(isinstance(option, AttrSizedOperandSegments) for option in options)


def _set_size(op: Op, name: str, size: int) -> None:
    names = [operand_name for operand_name, _ in op.get_irdl_definition().operands]
    sizes = list(attributes.array_values(op.properties[_OPERAND_SIZES]))
    sizes[names.index(name)] = size
    op.properties[_OPERAND_SIZES] = attributes.array_i32(tuple(sizes))
