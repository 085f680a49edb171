"""Memory descriptors of shared memory: layout and alignment of a buffer."""

from __future__ import annotations

from functools import lru_cache

from xdsl.ir import SSAValue

from weft.errors import CodegenError
from weft.ir.ttg import LocalAllocOp, MemDescType
from weft.layouts import LinearLayout, NvmmaSharedEncoding
from weft.layouts.layout_transforms import transpose

__all__ = ["buffer_alignment", "memdesc_of", "memory_layout"]

_ALIGNMENT = 16
_SWIZZLED_ALIGNMENT = 1024  # eight rows of 128 bytes, the period of the swizzle


def memdesc_of(value: SSAValue) -> MemDescType:
    """Get the type of a memory descriptor.

    Raises:
        CodegenError: The value is not a memory descriptor.
    """
    if not isinstance(value.type, MemDescType):
        raise CodegenError("not a buffer of shared memory", found=value.type)
    return value.type


@lru_cache(maxsize=4096)
def memory_layout(type_: MemDescType) -> LinearLayout:
    """Get the layout offset → coordinates of the buffer that a view is part of.

    Its rank is the encoding's; leading dimensions count buffers. A transposed tile without swizzle
    is stored column by column, so that its transpose is the same bytes. The encoding's linear
    layout does not distinguish the two.
    """
    encoding = type_.encoding
    if encoding is None:
        raise CodegenError("the buffer has no layout", found=type_)
    shape = type_.allocated[-len(type_.shape) :]
    if (
        isinstance(encoding, NvmmaSharedEncoding)
        and not encoding.swizzling_byte_width
        and encoding.transposed
        and len(shape) == 2
    ):
        return transpose(encoding.linear(shape[::-1]), (1, 0))
    return encoding.linear(shape)


def buffer_alignment(value: SSAValue) -> int:
    """Compute the alignment of a buffer in bytes, from its layout and its attribute."""
    swizzled = isinstance(memdesc_of(value).encoding, NvmmaSharedEncoding)
    attribute = value.owner.alignment if isinstance(value.owner, LocalAllocOp) else None
    least = 1 if attribute is None else attribute.value.data
    return max(least, _SWIZZLED_ALIGNMENT if swizzled else _ALIGNMENT)
