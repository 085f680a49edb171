"""How wide the asynchronous copies of a load are.

cp.async copies 4, 8 or 16 bytes per thread (PTX ISA, cp.async). A load of narrower accesses is not
pipelined through shared memory:

    %p : tensor<128x!tt.ptr<f16>>, contiguity 8     16 bytes per thread
    %q : tensor<128x!tt.ptr<i8>>, contiguity 1      1 byte per thread: too narrow
"""

from __future__ import annotations

from weft.analysis.axis_info import ModuleAxisInfo
from weft.ir import tt, types
from weft.ir.builtin import Attribute
from weft.layouts import Encoding

__all__ = ["MIN_COPY_BYTES", "can_become_async_copy", "copy_contiguity", "copy_vector_bytes"]

MIN_COPY_BYTES = 4


def copy_contiguity(load: tt.LoadOp, infos: ModuleAxisInfo) -> int:
    """Compute how many elements a thread can copy at once: consecutive, aligned, one mask bit."""
    contiguity = infos.contiguity(load.ptr)
    mask = load.mask
    return contiguity if mask is None else min(contiguity, infos.mask_alignment(mask))


def can_become_async_copy(load: tt.LoadOp, infos: ModuleAxisInfo) -> bool:
    """Check whether the accesses to global memory of a load are wide enough for cp.async."""
    pointer = types.element(load.ptr.type)
    assert types.is_pointer(pointer)
    width = types.bit_width(pointer.pointee)
    if types.is_tensor(load.ptr.type):
        width *= copy_contiguity(load, infos)
    return width >= 8 * MIN_COPY_BYTES


def copy_vector_bytes(type_: Attribute, buffer: Encoding) -> int:
    """Compute how many consecutive bytes a thread can write to a buffer at once.

    Args:
        type_: The type of the tensor that the thread loads.
        buffer: The encoding of the buffer.
    """
    encoding, shape = types.encoding(type_), types.shape(type_)
    assert encoding is not None
    registers_to_memory = encoding.linear(shape).invert_and_compose(buffer.linear(shape))
    return registers_to_memory.num_consecutive() * types.bit_width(type_) // 8
