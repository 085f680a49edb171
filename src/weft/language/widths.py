"""Types by how wide they are."""

from __future__ import annotations

from weft.errors import CompilationError
from weft.language import dtypes
from weft.language.constexpr import constexpr_function

__all__ = ["get_int_dtype"]

_SIGNED = {1: dtypes.int1, 8: dtypes.int8, 16: dtypes.int16, 32: dtypes.int32, 64: dtypes.int64}
_UNSIGNED = {1: dtypes.int1, 8: dtypes.uint8, 16: dtypes.uint16, 32: dtypes.uint32,
             64: dtypes.uint64}  # fmt: skip


@constexpr_function
def get_int_dtype(bitwidth, signed):
    """Return the integer type of a width in bits: `tl.int32` for 32 and True.

    Raises: CompilationError: there is none.
    """
    found = (_SIGNED if signed else _UNSIGNED).get(bitwidth)
    if found is None:
        raise CompilationError(
            "no integer type has this many bits", found=bitwidth, accepted=list(_SIGNED)
        )
    return found
