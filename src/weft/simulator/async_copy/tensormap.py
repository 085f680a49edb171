"""Tensor maps, the 128-byte descriptors of TMA.

NVIDIA does not document the encoding. Kernels and launches write fields by name only, so the
simulator is free to use this one:

    offset 0    address
    offset 8    rank - 1, then from 12 element type, 16 interleave, 20 swizzle, 24 fill mode
    offset 28   box dimensions     offset 48   tensor dimensions
    offset 72   strides            offset 104  element strides

Source: PTX ISA 9.0, tensormap.replace, for the fields and the numbers of element types.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Type
from weft.simulator.registry import Call, assembly
from weft.simulator.synchronization.mbarrier import predicated_rows
from weft.simulator.warp.shuffles import check_whole_warps

__all__ = ["BYTES", "Descriptor", "Pointer", "TensorMap", "read_descriptor"]

BYTES = 128
_OFFSETS = {
    "global_address": 0,
    "rank": 8,
    "elemtype": 12,
    "interleave_layout": 16,
    "swizzle_mode": 20,
    "fill_mode": 24,
    "box_dim": 28,
    "global_dim": 48,
    "global_stride": 72,
    "element_stride": 104,
}
_ELEMENT_TYPES: dict[int, np.dtype] = {
    0: np.dtype(np.uint8),
    1: np.dtype(np.uint16),
    2: np.dtype(np.uint32),
    3: np.dtype(np.int32),
    4: np.dtype(np.uint64),
    5: np.dtype(np.int64),
    6: np.dtype(np.float16),
    7: np.dtype(np.float32),
    9: np.dtype(np.float64),
    10: np.dtype(ml_dtypes.bfloat16),
    11: np.dtype(np.float32),
}
_TF32 = 11
_SWIZZLE_BYTES = (0, 32, 64, 128)
"""Swizzle mode → bytes of a swizzled row, 0 for no swizzle."""
_MAX_RANK, _MAX_BOX = 5, 256
_PLACES = np.arange(BYTES)[None]


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A decoded tensor map; the fastest dimension comes first.

    Attributes:
        address: Address of the tensor.
        dtype: Type of the elements.
        box: Dimensions of a box, in elements.
        sizes: Dimensions of the tensor, in elements.
        strides: Strides of all dimensions but the first, in bytes.
        element_strides: Distance of a box's elements in the tensor, in elements.
        swizzle_bytes: Bytes of a swizzled row, 0 for no swizzle.
        fills_nan: Whether elements outside of the tensor are NaN, not zero.
        rounds_to_tf32: Whether loads round f32 to tf32.
    """

    address: int
    dtype: np.dtype
    box: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    element_strides: tuple[int, ...]
    swizzle_bytes: int
    fills_nan: bool
    rounds_to_tf32: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Pointer:
    """An argument that points into an array, which several arguments may share.

    Attributes:
        array: The array.
        offset: Bytes from its first element.
    """

    array: np.ndarray
    offset: int = 0

    @staticmethod
    def to(value: np.ndarray | Pointer) -> Pointer:
        """Construct the pointer to an array; a pointer stays itself."""
        return value if isinstance(value, Pointer) else Pointer(value)


@dataclass(frozen=True, slots=True, eq=False)
class TensorMap:
    """A tensor map that the host creates, as an argument of a launch.

    Attributes:
        base: The tensor, or a pointer to it.
        element: Number of the element type.
        box: As of Descriptor.
        sizes: As of Descriptor.
        strides: As of Descriptor.
        swizzle: Swizzle mode.
        nan: As `fills_nan` of Descriptor.
    """

    base: np.ndarray | Pointer
    element: int
    box: Sequence[int]
    sizes: Sequence[int]
    strides: Sequence[int]
    swizzle: int
    nan: bool = False

    def encode(self, address: int) -> np.ndarray:
        """Compute the 128 bytes for a tensor at an address."""
        raw = np.zeros(BYTES, np.uint8)
        _set_field(raw, "global_address", 0, address, 8)
        fields = {
            "rank": [len(self.box) - 1],
            "elemtype": [self.element],
            "swizzle_mode": [self.swizzle],
            "fill_mode": [int(self.nan)],
            "box_dim": self.box,
            "global_dim": self.sizes,
            "element_stride": [1] * len(self.box),
        }
        for name, values in fields.items():
            for n, value in enumerate(values):
                _set_field(raw, name, n, value, 4)
        for n, stride in enumerate(self.strides):
            _set_field(raw, "global_stride", n, stride, 8)
        return raw


def _set_field(raw: np.ndarray, name: str, index: int, value: int, size: int) -> None:
    start = _OFFSETS[name] + size * index
    raw[start : start + size] = np.frombuffer(
        (value % (1 << 8 * size)).to_bytes(size, "little"), "u1"
    )


def read_descriptor(raw: np.ndarray) -> Descriptor:
    """Decode 128 bytes.

    Raises:
        CodegenError: They are not a valid tensor map.
    """

    def field(name: str, index: int = 0, size: int = 4) -> int:
        start = _OFFSETS[name] + size * index
        return int.from_bytes(raw[start : start + size].tobytes(), "little")

    rank, element, swizzle = field("rank") + 1, field("elemtype"), field("swizzle_mode")
    dtype = _ELEMENT_TYPES.get(element)
    box = tuple(field("box_dim", n) for n in range(min(rank, _MAX_RANK)))
    if dtype is None or rank > _MAX_RANK or not all(1 <= size <= _MAX_BOX for size in box):
        raise CodegenError(
            "invalid TMA descriptor", found=f"rank {rank}, element type {element}, box {box}"
        )
    swizzle_bytes = _SWIZZLE_BYTES[swizzle]
    if swizzle_bytes and box[0] * dtype.itemsize > swizzle_bytes:
        raise CodegenError(
            "a row of a TMA box is wider than its swizzle", found=box, accepted=[swizzle_bytes]
        )
    return Descriptor(
        address=field("global_address", 0, 8),
        dtype=dtype,
        box=box,
        sizes=tuple(field("global_dim", n) for n in range(rank)),
        strides=tuple(field("global_stride", n, 8) for n in range(rank - 1)),
        element_strides=tuple(field("element_stride", n) for n in range(rank)),
        swizzle_bytes=swizzle_bytes,
        fills_nan=bool(field("fill_mode")),
        rounds_to_tf32=element == _TF32,
    )


@assembly(
    r"@\$1 tensormap\.replace\.tile\.(\w+)\.shared::cta\.b1024\.b(32|64) \[\$0\]((?:, \$?\d+)+);"
)
def _replace_field(call: Call) -> Step:
    """Compile tensormap.replace: the index of a field with several values, then its value."""
    name, size = call.match[1], int(call.match[2]) // 8
    *index_text, value_text = call.match[3].strip(", ").split(", ")
    index = int(index_text[0]) if index_text else 0
    address, predicate = call.arguments[:2]
    value = call.argument(2) if value_text == "$2" else np.full(1, int(value_text))

    def step(block: Block) -> None:
        for thread, start, number in predicated_rows(block, predicate, address, value):
            if block.shared.races is not None:
                block.shared.races.write(start + _PLACES, np.array([thread]))
            _set_field(block.shared.bytes[start : start + BYTES], name, index, number, size)

    return step


@assembly(r"@\$2 st\.shared\.b32 \[\$0\], \$1;")
def _store_word(call: Call) -> Step:
    """Compile a predicated store, with which kernels clear a descriptor in shared memory."""
    address, value, predicate = call.arguments

    def step(block: Block) -> None:
        mask = block.active & block.per_thread(predicate)
        block.count_shared("shared store", 4, block.get(address), mask, writes=True)
        block.shared.store(Type("i32"), block.get(address), block.get(value), mask)

    return step


@assembly(
    r"@\$2 tensormap\.cp_fenceproxy\.global\.shared::cta\.tensormap::generic\.release\.gpu"
    r"\.sync\.aligned \[\$0\], \[\$1\], 128;"
)
def _copy_to_global(call: Call) -> Step:
    """Compile the copy of a descriptor to global memory, once per warp."""
    target, source, predicate = call.arguments

    def step(block: Block) -> None:
        check_whole_warps(block, "tensormap.cp_fenceproxy")
        for thread, to, start in predicated_rows(block, predicate, target, source):
            if thread % block.warp_size == 0:
                lanes = np.arange(thread, thread + block.warp_size)
                if block.shared.races is not None:
                    block.shared.races.read_by_warp(start + _PLACES, lanes)
                block.global_memory.bytes[to : to + BYTES] = block.shared.bytes[
                    start : start + BYTES
                ]
                block.unfenced_tensormaps.add(to)

    return step


@assembly(
    r"@\$1 fence\.proxy\.tensormap::generic\.acquire\.gpu \[\$0\], 128; "
    r"@\$1 cp\.async\.bulk\.commit_group; @\$1 cp\.async\.bulk\.wait_group\.read 0;"
)
def _tensormap_fence(call: Call) -> Step:
    """Compile the fence after which TMA may use a descriptor that the kernel wrote."""
    address, predicate = call.arguments

    def step(block: Block) -> None:
        for _, start in predicated_rows(block, predicate, address):
            block.unfenced_tensormaps.discard(start)

    return step
