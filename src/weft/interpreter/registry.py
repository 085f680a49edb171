"""The meaning of each operation, as a function that compiles it.

The modules of `weft.interpreter.ops` register the functions. Such a function is called when the
kernel is compiled; the function that it returns is called each time the operation runs:

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
    """Say how an operation is compiled, and what its compiled form is called with."""

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
    """Register `compile(op)` for operations that only map operands to results."""
    return _register("pure", ops)


def effect(*ops: Operations) -> Callable[[F], F]:
    """Register `compile(op)` for operations that also read the batch: ids, memory, streams."""
    return _register("effect", ops)


def control(*ops: Operations) -> Callable[[F], F]:
    """Register `compile(op, compiler)` for operations with regions, successors or callees."""
    return _register("control", ops)


def row_of(name: str) -> Row | None:
    """Look up the row of an operation by its name; None if it has no meaning by itself."""
    return _ROWS.get(name)


def row_for(op: Operation) -> Row:
    """Look an operation up.

    Raises: LaunchError: the interpreter gives that operation no meaning.
    """
    row = row_of(op.name)
    if row is None:
        raise LaunchError(
            f"the interpreter cannot run {op.name}",
            location=locations.position(op.location),
            found=op.name,
            hint=did_you_mean(op.name, _ROWS)
            or "TTIR, and TTGIR before software pipelining, are what it runs",
        )
    return row
