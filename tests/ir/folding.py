"""Fold one operation, for the tests of folds."""

from __future__ import annotations

from weft.ir import tt
from weft.ir.builtin import Attribute, SSAValue
from weft.ir.folding import IN_PLACE
from weft.ir.folds import FOLDS
from weft.ir.text import parse_module
from weft.ir.text.numbering import Names
from weft.ir.text.printer import print_operation, print_type

INTEGERS = "%arg0: i32, %arg1: i32, %arg2: i1"
FLOATS = "%arg0: f32, %arg1: f32, %arg2: i1"


def fold(body: str, arguments: str = INTEGERS) -> str | None:
    """Fold the last operation of a function body.

    Args:
        body: The operations of the function, without its terminator.
        arguments: The arguments of the function.

    Returns:
        The value or constant that the operation is equal to, the text of an operation that was
        simplified in place, or None if it does not fold.
    """
    module = parse_module(f"tt.func @f({arguments}) {{\n{body}\ntt.return\n}}")
    function = module.body.block.first_op
    assert isinstance(function, tt.FuncOp)
    terminator = function.entry.last_op
    assert terminator is not None
    op = terminator.prev_op
    assert op is not None
    folded = FOLDS[type(op)](op)
    if folded is None:
        return None
    if folded is IN_PLACE:
        return print_operation(op).partition(" = ")[2]
    if isinstance(folded, SSAValue):
        return f"%{Names(module).values[folded]}"
    assert isinstance(folded, Attribute)
    return print_type(folded)


def apply(name: str, *operands: str | float, type_: str = "i32", suffix: str = "") -> str:
    """Write an operation of arith or math, and a constant for each operand that is a number.

    Args:
        name: The operation without its dialect's suffix, such as `arith.addi`.
        operands: Values, and the numbers of constants.
        type_: The type of the operands and constants.
        suffix: What follows the type.
    """
    lines: list[str] = []
    names: list[str] = []
    for index, operand in enumerate(operands):
        if isinstance(operand, str) and operand.startswith("%"):
            names.append(operand)
            continue
        number = f"dense<{operand}>" if type_.startswith("tensor") else operand
        typed = f"{number}" if operand in ("true", "false") else f"{number} : {type_}"
        lines.append(f"%k{index} = arith.constant {typed}")
        names.append(f"%k{index}")
    return "\n".join([*lines, f"%r = {name} {', '.join(names)} : {type_}{suffix}"])
