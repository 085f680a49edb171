"""Turn whatever code generation raises into a `CodegenError` with a location.

    with located_errors(op):        a CodegenError without a location gets that of op;
        lower(op)                   any other error becomes a CodegenError about op

IR that the verifier accepts may ask for what no lowering supports: a layout without a fragment of
the instruction, an element type without a conversion. A lowering says so where it knows; here is
the limit for what it did not foresee. The original error is the cause of the new one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException

from weft.errors import CodegenError, Location, WeftError
from weft.ir import locations

__all__ = ["located_errors"]

_UNFORESEEN = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    DiagnosticException,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
)


def _location(op: Operation) -> Location | None:
    """Get the location of an operation, or of the nearest one around it that has one."""
    outer: Operation | None = op
    while outer is not None:
        if (position := locations.position(outer.location)) is not None:
            return position
        outer = outer.parent_op()
    return None


@contextmanager
def located_errors(op: Operation) -> Iterator[None]:
    """Give errors that arise in lowering an operation its location.

    Raises:
        CodegenError: Anything was raised inside.
    """
    try:
        yield
    except CodegenError as error:
        if error.location is None:
            error.location = _location(op)
        raise
    except WeftError as error:
        raise CodegenError(
            f"'{op.name}' op cannot be lowered to LLVM IR: {error.message}",
            location=error.location or _location(op),
            found=error.found,
            accepted=error.accepted,
            hint=error.hint,
        ) from error
    except _UNFORESEEN as error:
        raise CodegenError(
            f"'{op.name}' op cannot be lowered to LLVM IR: {type(error).__name__}: {error}",
            location=_location(op),
        ) from error
