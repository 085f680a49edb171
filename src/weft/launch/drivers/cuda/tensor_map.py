"""Tensor maps: the descriptors of TMA, encoded by cuTensorMapEncodeTiled of the CUDA driver.

    encode_tensor_map(address, "f16", shape=(1024, 512), strides=(512, 1), box=(128, 64),
                      swizzle_bytes=128, pads_with_nan=False)      # 128 bytes, passed by value

Shapes, strides and boxes list the slowest dimension first; the driver wants the fastest first.

Source: CUDA Driver API 13.0, section "Tensor Map Object Management".
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

from weft.errors import LaunchError

__all__ = ["encode_tensor_map"]

_MAP_BYTES = 128
_MAP_ALIGNMENT = 64
_ROW_ALIGNMENT = 16
_ELEMENT_BYTES = {
    "u8": 1, "u16": 2, "u32": 4, "s32": 4, "u64": 8, "s64": 8,
    "f16": 2, "bf16": 2, "f32": 4, "tf32": 4, "f64": 8,
}  # fmt: skip
# CUtensorMapDataType
_DATA_TYPES = {
    "u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5,
    "f16": 6, "f32": 7, "f64": 8, "bf16": 9, "tf32": 11,
}  # fmt: skip
# Bytes of a swizzled row → CUtensorMapSwizzle
_SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
_INTERLEAVE_NONE = 0
_L2_PROMOTION_128B = 2


def encode_tensor_map(
    address: int,
    element: str,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    box: tuple[int, ...],
    swizzle_bytes: int,
    pads_with_nan: bool,
) -> bytes:
    """Encode a tensor map.

    Args:
        address: Address of the tensor in global memory.
        element: Element type: "f16", "u8", ….
        shape: Elements per dimension.
        strides: Strides in elements.
        box: Elements that one copy transfers, per dimension.
        swizzle_bytes: Width of the swizzled rows in shared memory; 0 without swizzling.
        pads_with_nan: Whether loads outside of the tensor return NaN instead of 0.

    Returns:
        The 128 bytes of a CUtensorMap.

    Raises:
        LaunchError: Rows that are not contiguous or not aligned, or the driver rejects the map.
    """
    _check_rows(address, element, strides)
    item_size, rank = _ELEMENT_BYTES[element], len(shape)
    buffer = ctypes.create_string_buffer(_MAP_BYTES + _MAP_ALIGNMENT)
    start = -ctypes.addressof(buffer) % _MAP_ALIGNMENT
    code = _driver_function()(
        ctypes.c_void_p(ctypes.addressof(buffer) + start),
        _DATA_TYPES[element],
        rank,
        ctypes.c_void_p(address),
        (ctypes.c_uint64 * rank)(*shape[::-1]),
        # The stride of the fastest dimension is one element and not passed.
        (ctypes.c_uint64 * max(1, rank - 1))(*(stride * item_size for stride in strides[-2::-1])),
        (ctypes.c_uint32 * rank)(*box[::-1]),
        (ctypes.c_uint32 * rank)(*[1] * rank),
        _INTERLEAVE_NONE,
        _SWIZZLES[swizzle_bytes],
        _L2_PROMOTION_128B,
        int(pads_with_nan),
    )
    if code:
        raise LaunchError(
            "cuTensorMapEncodeTiled failed",
            found=f"error {code}: shape {shape}, strides {strides}, box {box} of {element}",
        )
    return buffer.raw[start : start + _MAP_BYTES]


def _check_rows(address: int, element: str, strides: tuple[int, ...]) -> None:
    item_size = _ELEMENT_BYTES[element]
    if strides[-1] != 1:
        raise LaunchError(
            "Last dimension of a tensor descriptor must be contiguous",
            found=f"strides {strides}",
            accepted=["a last stride of 1"],
        )
    if address % _ROW_ALIGNMENT:
        raise LaunchError(
            "base of a tensor descriptor must be 16-byte aligned", found=f"address {address:#x}"
        )
    if any(stride * item_size % _ROW_ALIGNMENT for stride in strides[:-1]):
        raise LaunchError(
            "strides of a tensor descriptor must be 16-byte aligned",
            found=f"strides {strides} of {item_size} bytes",
        )


@cache
def _driver_function() -> Callable[..., int]:
    """Get cuTensorMapEncodeTiled of the loaded driver."""
    function = ctypes.CDLL("libcuda.so.1").cuTensorMapEncodeTiled
    function.restype = ctypes.c_int
    return function
