"""Descriptors that the host makes for the copy engine: cuTensorMapEncodeTiled of the driver.

    tensor_map(address, "f16", sizes=(1024, 512), strides=(512, 1), box=(128, 64), row_bytes=128,
               nan=False)                                       # 128 bytes, passed by value

Sizes, strides and boxes are slowest first, as everywhere in weft; the driver counts from the
fastest. Source: CUDA driver API 13.0, CUtensorMapDataType and its siblings.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from weft.errors import LaunchError

__all__ = ["tensor_map"]

BYTES = 128
_ALIGNMENT = 64
_ROW_ALIGNMENT = 16
_BYTES = {"u8": 1, "u16": 2, "u32": 4, "s32": 4, "u64": 8, "s64": 8}
_BYTES |= {"f16": 2, "bf16": 2, "f32": 4, "tf32": 4, "f64": 8}
_TYPES = {"u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5}
_TYPES |= {"f16": 6, "f32": 7, "f64": 8, "bf16": 9, "tf32": 11}
_SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
_NO_INTERLEAVE = 0
_PROMOTE_TO_128_BYTES = 2  # what the second cache fetches at least


def tensor_map(
    address: int,
    element: str,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    box: tuple[int, ...],
    row_bytes: int,
    nan: bool,
) -> bytes:
    """Return a descriptor's bytes.

    Args: element: "f16" and so on.  strides: in elements.  box: what one copy moves.
          row_bytes: of the swizzled rows, 0 for none.  nan: what is read outside, else zeros.
    Raises: LaunchError: rows that are not contiguous or not aligned, or the driver refuses.
    """
    _require_rows(address, element, strides)
    size, rank = _BYTES[element], len(sizes)
    room = ctypes.create_string_buffer(BYTES + _ALIGNMENT)
    start = -ctypes.addressof(room) % _ALIGNMENT
    code = _encode()(
        ctypes.c_void_p(ctypes.addressof(room) + start),
        _TYPES[element],
        rank,
        ctypes.c_void_p(address),
        (ctypes.c_uint64 * rank)(*sizes[::-1]),
        (ctypes.c_uint64 * max(1, rank - 1))(*(step * size for step in strides[-2::-1])),
        (ctypes.c_uint32 * rank)(*box[::-1]),
        (ctypes.c_uint32 * rank)(*[1] * rank),
        _NO_INTERLEAVE,
        _SWIZZLES[row_bytes],
        _PROMOTE_TO_128_BYTES,
        int(nan),
    )
    if code:
        raise LaunchError(
            "the CUDA driver refuses a tensor descriptor",
            found=f"error {code}: sizes {sizes}, strides {strides}, boxes {box} of {element}",
        )
    return room.raw[start : start + BYTES]


def _require_rows(address: int, element: str, strides: tuple[int, ...]) -> None:
    """Refuse what the copy engine cannot address.

    Raises: LaunchError.
    """
    size = _BYTES[element]
    if strides[-1] != 1:
        raise LaunchError(
            "a tensor descriptor's last dimension must be contiguous",
            found=f"strides {strides}",
            accepted=["a last stride of 1"],
        )
    if address % _ROW_ALIGNMENT or any(step * size % _ROW_ALIGNMENT for step in strides[:-1]):
        raise LaunchError(
            "a tensor descriptor's rows must begin at multiples of 16 bytes",
            found=f"address {address:#x}, strides {strides} of {size} bytes",
        )


@cache
def _encode() -> Any:
    """Return cuTensorMapEncodeTiled of the loaded driver."""
    function = ctypes.CDLL("libcuda.so.1").cuTensorMapEncodeTiled
    function.restype = ctypes.c_int
    return function
