"""Parameters of the TMA descriptors that the host encodes and passes to a kernel.

    !tt.tensordesc<tensor<128x128xf16, #shared>>, rows swizzled by 128 bytes
    →   boxes of 128x64 elements of f16, swizzle mode 128B

Sizes, strides and the base address are launch arguments.
Source: CUDA driver API, cuTensorMapEncodeTiled.
"""

from __future__ import annotations

from msgspec import Struct
from xdsl.dialects.builtin import Signedness

from weft.errors import CodegenError
from weft.ir import tt, types
from weft.ir.ttg import MemDescType, SharedMemoryAttr
from weft.layouts import NvmmaSharedEncoding
from weft.lowering_plans.tma_boxes import box_shape

__all__ = ["HostDescriptor", "host_descriptors"]

_SIGNED_FROM_BITS = 32  # narrower integers are moved as bits


class HostDescriptor(Struct, frozen=True):
    """One descriptor among the parameters of a kernel.

    Attributes:
        box: Elements per dimension, slowest first.
        row_bytes: Bytes of a swizzled row, 0 for no swizzle.
        element: "f16", "bf16", "f32", "f64", "u8", "u16", "u32", "u64", "s32" or "s64". The type
            matters only for reductions and for elements out of bounds.
    """

    box: tuple[int, ...]
    row_bytes: int
    element: str


def host_descriptors(kernel: tt.FuncOp) -> dict[int, HostDescriptor]:
    """Find the descriptors among a kernel's parameters, by index.

    Raises:
        CodegenError: A descriptor has a layout that TMA does not support, or padded fp4.
    """
    return {
        n: _describe(type_)
        for n, type_ in enumerate(kernel.function_type.inputs.data)
        if isinstance(type_, types.TensorDescType)
    }


def _describe(type_: types.TensorDescType) -> HostDescriptor:
    tile = type_.block_type
    encoding = types.encoding(tile)
    if not isinstance(encoding, NvmmaSharedEncoding) or encoding.fp4_padded:
        raise CodegenError(
            "tensor descriptor has no shared-memory encoding",
            found=type_,
            accepted=["#ttg.nvmma_shared without fp4Padded"],
        )
    memdesc = MemDescType.of(types.shape(tile), types.element(tile), encoding, SharedMemoryAttr())
    element, bits = types.element(tile), types.bit_width(tile)
    if types.is_integer(element) or bits == 8:
        signed = types.is_integer(element) and element.signedness.data is Signedness.SIGNED
        name = f"{'s' if signed and bits >= _SIGNED_FROM_BITS else 'u'}{bits}"
    else:
        name = str(element)
    return HostDescriptor(box_shape(memdesc), encoding.swizzling_byte_width, name)
