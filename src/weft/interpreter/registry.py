"""The table from operation name to how it is run.

Each file of `ops` fills the table for one family. A row is written once per operation kind and
is called when a function is compiled; what it returns is called each time the operation runs.

    @pure("arith.addi")                       f(*operands) -> result(s)
    @effect("tt.load")                        f(batch, *operands) -> result(s)
    @control("scf.for")                       f(slots, batch) -> None; reads and writes slots itself
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from xdsl.ir import Operation

from weft.errors import LaunchError, did_you_mean
from weft.ir import locations
from weft.records import dataclass

if TYPE_CHECKING:
    from weft.interpreter.batch import Batch
    from weft.interpreter.scope import Scope

Slots: TypeAlias = "list[Any]"
Step: TypeAlias = "Callable[[Slots, Batch], None]"
Evaluate: TypeAlias = "Callable[..., Any]"
Kind = Literal["pure", "effect", "control"]


@dataclass(frozen=True, slots=True)
class Row:
    """Say how an operation is compiled, and what its compiled form is called with."""

    kind: Kind
    compile: Callable[..., Evaluate]


ROWS: dict[str, Row] = {}


def _register(kind: Kind, names: tuple[str, ...]) -> Callable[[Callable[..., Any]], Any]:
    def add(compile_row: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            if name in ROWS:
                raise ValueError(f"{name} has two meanings")
            ROWS[name] = Row(kind, compile_row)
        return compile_row

    return add


def pure(*names: str) -> Callable[[Callable[[Operation], Evaluate]], Any]:
    """Register `compile(op)` for operations that only map operands to results."""
    return _register("pure", names)


def effect(*names: str) -> Callable[[Callable[[Operation], Evaluate]], Any]:
    """Register `compile(op)` for operations that also read the batch: ids, memory, streams."""
    return _register("effect", names)


def control(*names: str) -> Callable[[Callable[[Operation, Scope], Step]], Any]:
    """Register `compile(op, scope)` for operations with regions, successors or callees."""
    return _register("control", names)


def row_for(op: Operation) -> Row:
    """Look an operation up.

    Raises: LaunchError: the interpreter gives that operation no meaning.
    """
    row = ROWS.get(op.name)
    if row is None:
        raise LaunchError(
            f"the interpreter cannot run {op.name}",
            location=locations.position(op.location),
            found=op.name,
            hint=did_you_mean(op.name, ROWS)
            or "TTIR, and TTGIR before software pipelining, are what it runs",
        )
    return row
