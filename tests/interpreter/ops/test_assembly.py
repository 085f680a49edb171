"""Errors of inline assembly: operands that do not fit registers, and values out of range."""

from __future__ import annotations

import numpy as np
import pytest

from tests.interpreter.kernels import elementwise, run_text
from weft.errors import LaunchError

MOV = "mov.b32 $0, $1;"


def error_of_assembly(text: str, constraints: str, element: str, dtype: type, pack: int = 1) -> str:
    """Run inline assembly on 64 elements, and return the text of its error."""
    operation = (
        f'%y = tt.elementwise_inline_asm "{text}" {{constraints = "{constraints}", '
        f"packed_element = {pack} : i32, pure = true}} "
        f"%x0 : tensor<{{n}}x{element}> -> tensor<{{n}}x{element}>"
    )
    values = np.zeros(64, dtype)
    with pytest.raises(LaunchError) as caught:
        run_text(elementwise(operation, [element], element), [values, values.copy()])
    return str(caught.value)


@pytest.mark.parametrize(
    ("constraints", "element", "dtype", "pack", "message"),
    [
        ("=r,r", "i8", np.int8, 3, "elements that do not fill a register"),
        ("=r,r,r", "i32", np.int32, 1, "the constraints have 2 inputs, and the elements take 1"),
        ("=r,r", "i64", np.int64, 1, "a register of 32 bits for elements of 64"),
    ],
)
def test_operands_that_do_not_fit_registers(constraints, element, dtype, pack, message):
    error = error_of_assembly(MOV, constraints, element, dtype, pack)
    assert "the interpreter cannot run inline assembly" in error
    assert message in error


def test_register_that_is_read_before_it_is_written():
    error = error_of_assembly("{ .reg .b32 t; mov.b32 $0, t; }", "=r,r", "i32", np.int32)
    assert "t is read before it is written" in error
