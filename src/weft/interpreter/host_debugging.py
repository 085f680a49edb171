"""`print` and `breakpoint` of kernels on the CPU device, on numpy arrays.

    tt.print "" {weft.print = ["'sum'", ""], …} : %total          program (0, 0, 0): sum 3.5
    tt.print "" {weft.breakpoint = ["x", "N=16"], …} : %x         Python's debugger, at this line

The debugger stops once for each program, in a frame with the name and the line of the kernel. Its
variables are copies: a change of them has no effect on the kernel.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, Operation

from weft.interpreter.program_batch import Batch
from weft.interpreter.registry import Evaluate
from weft.interpreter.values import Value, full
from weft.ir import locations, types

__all__ = ["debugging_of"]


def debugging_of(op: Operation) -> Evaluate | None:
    """Compile a `print` or `breakpoint` of Python; None for tl.device_print."""
    if (items := op.attributes.get("weft.print")) is not None:
        return _print(op, _texts(items))
    if (names := op.attributes.get("weft.breakpoint")) is not None:
        return _breakpoint(op, _texts(names))
    return None


def _texts(attribute: Attribute) -> list[str]:
    assert isinstance(attribute, ArrayAttr)
    return [each.data for each in attribute.data if isinstance(each, StringAttr)]


def _arrays(op: Operation, batch: Batch, values: Sequence[Value]) -> list[np.ndarray]:
    """Materialize the operands: one array for all programs of the batch each."""
    arrays: list[np.ndarray] = []
    for operand, value in zip(op.operands, values, strict=True):
        array = full(value, types.shape(operand.type), batch.size)
        if types.is_pointer(types.element(operand.type)):
            array = batch.launch.memory.to_machine(array)
        arrays.append(array)
    return arrays


def _print(op: Operation, items: Sequence[str]) -> Evaluate:
    def run(batch: Batch, *values: Value) -> None:
        arrays = _arrays(op, batch, values)
        for instance in range(batch.size):
            remaining = iter(arrays)
            parts = [_part(item, remaining, instance) for item in items]
            sys.stdout.write(f"program {batch.program(instance)}: {' '.join(parts)}\n")

    return run


def _part(item: str, arrays: object, instance: int) -> str:
    if item.startswith(("'", '"')):
        return str(ast.literal_eval(item))
    text = str(next(arrays)[instance])  # pyright: ignore
    name = f"{item} = " if item else ""
    lines = text.replace("\n", "\n" + " " * len(name))
    return f"{name}{lines}"


def _breakpoint(op: Operation, names: Sequence[str]) -> Evaluate:
    location = locations.position(op.location)
    file, line = (location.file, location.line) if location else ("<kernel>", 1)
    constants = {
        name: ast.literal_eval(text) for name, _, text in (n.partition("=") for n in names) if text
    }
    variables = [name for name in names if "=" not in name]

    def run(batch: Batch, *values: Value) -> None:
        arrays = _arrays(op, batch, values)
        # One statement at the kernel's line: the debugger stops there, and shows the source.
        code = compile("\n" * (line - 1) + "breakpoint()", file, "exec")
        code = code.replace(co_name=batch.launch.kernel, co_qualname=batch.launch.kernel)
        for instance in range(batch.size):
            tiles = {
                name: array[instance].copy() for name, array in zip(variables, arrays, strict=True)
            }
            scope: dict[str, object] = {"program": batch.program(instance), **constants, **tiles}
            with np.errstate(all="warn"):
                exec(code, scope)

    return run
