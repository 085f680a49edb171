"""The meaning of each operation, as a function that compiles it.

The modules of `weft.interpreter.ops` register these functions. Such a function runs when the kernel
is compiled; the closure that it returns runs each time the operation is executed:

    @pure(arith.AddIOp)                       f(*operands) -> result(s)
    @effect(tt.LoadOp)                        f(batch, *operands) -> result(s)
    @control(scf.ForOp)                       f(slots, batch) -> None; reads and writes slots itself
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from xdsl.ir import Operation

from weft.errors import LaunchError, did_you_mean
from weft.ir import locations
from weft.registry import Registry

if TYPE_CHECKING:
    from weft.interpreter.program_batch import Batch

Slots: TypeAlias = "list[Any]"
Step: TypeAlias = "Callable[[Slots, Batch], None]"
Evaluate: TypeAlias = "Callable[..., Any]"
Kind = Literal["pure", "effect", "control"]
Operations: TypeAlias = "type[Operation] | str"
F = TypeVar("F", bound=Callable[..., Callable[..., object]])


@dataclass(frozen=True, slots=True)
class Row:
    """How an operation is compiled.

    Attributes:
        kind: Which arguments the compiled operation takes.
        compile: Compiles an operation.
    """

    kind: Kind
    compile: Callable[..., Evaluate]


_ROWS = Registry[Row]("weft.interpreter.ops")


def _register(kind: Kind, ops: tuple[Operations, ...]) -> Callable[[F], F]:
    def decorate(compile_row: F) -> F:
        for op in ops:
            _ROWS.add(op if isinstance(op, str) else op.name, Row(kind, compile_row))
        return compile_row

    return decorate


def pure(*ops: Operations) -> Callable[[F], F]:
    """Register `compile(op)` for operations that compute results from operands only."""
    return _register("pure", ops)


def effect(*ops: Operations) -> Callable[[F], F]:
    """Register `compile(op)` for operations that also use the batch: ids, memory, output."""
    return _register("effect", ops)


def control(*ops: Operations) -> Callable[[F], F]:
    """Register `compile(op, compiler)` for operations with regions, successors or callees."""
    return _register("control", ops)


def row_of(name: str) -> Row | None:
    """Look up the row of an operation by its name; None for terminators and unknown operations."""
    return _ROWS.get(name)


def row_for(op: Operation) -> Row:
    """Look up the row of an operation.

    Raises:
        LaunchError: The interpreter does not support the operation.
    """
    row = row_of(op.name)
    if row is None:
        raise LaunchError(
            f"the interpreter does not support {op.name}",
            location=locations.position(op.location),
            found=op.name,
            hint=did_you_mean(op.name, _ROWS)
            or "it runs TTIR and TTGIR, not what code generation makes of them",
        )
    return row
