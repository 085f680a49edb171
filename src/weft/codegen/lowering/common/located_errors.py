"""Turn whatever code generation raises into a `CodegenError` with a location.

    with located_errors(op):        a CodegenError without a location gets that of op;
        lower(op)                   another WeftError becomes a CodegenError about op;
                                    any other exception becomes an InternalCodegenError

IR that the verifier accepts may ask for what no lowering supports: a layout without a fragment of
the instruction, an element type without a conversion. A lowering refuses it by a `WeftError`. Any
other exception is a defect of weft; `tests/oracle/mutants/code_generation.py` looks for them. The
original error is the cause of the new one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from xdsl.ir import Operation

from weft.errors import CodegenError, InternalCodegenError, Location, WeftError
from weft.ir import locations

__all__ = ["located_errors"]


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
        CodegenError: A WeftError was raised inside.
        InternalCodegenError: Another exception was raised inside.
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
    except Exception as error:
        raise InternalCodegenError(
            f"'{op.name}' op cannot be lowered to LLVM IR: internal error: "
            f"{type(error).__name__}: {error}",
            location=_location(op),
            hint="this is a defect of weft; please report it with the IR of the kernel",
        ) from error
