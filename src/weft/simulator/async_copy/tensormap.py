"""Descriptors of tensors, which the copy engine reads: 128 bytes, in a form of our own.

What is in one and how it is named is the chip's; where each field lies is nobody's business but
its, so here fields lie one behind the other.

    address 0   rank - 1 8   elemtype 12   interleave 16   swizzle 20   fill 24
    box_dim 28 + 4n   global_dim 48 + 4n   global_stride 72 + 8n   element_stride 104 + 4n

Source: PTX ISA 9.0, tensormap.replace, for the fields and the numbers of element types.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.registry import Call, assembly
from weft.simulator.synchronization.mbarrier import guarded
from weft.simulator.warp.lanes import require_whole_warps

__all__ = ["BYTES", "Descriptor", "TensorMap", "read_descriptor"]

BYTES = 128
_FIELDS = {
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
_ELEMENTS: dict[int, np.dtype] = {
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
}
_WIDTHS = (0, 32, 64, 128)
_PLACES = np.arange(BYTES)[None]


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A descriptor read: where the tensor is and how large, counted from the fastest dimension.

    strides: in bytes, of the dimensions but the first.  box, steps: in elements.
    width: of the swizzled rows in bytes, 0 for none.  nan: whether what lies outside reads NaN.
    """

    address: int
    kind: np.dtype
    box: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    steps: tuple[int, ...]
    width: int
    nan: bool


@dataclass(frozen=True, slots=True, eq=False)
class TensorMap:
    """A descriptor that the host makes, as an argument of a launch; all as of `Descriptor`."""

    base: np.ndarray
    element: int
    box: Sequence[int]
    sizes: Sequence[int]
    strides: Sequence[int]
    swizzle: int
    nan: bool = False

    def encoded(self, address: int) -> np.ndarray:
        """Return its bytes, the tensor being at an address."""
        raw = np.zeros(BYTES, np.uint8)
        _set(raw, "global_address", 0, address, 8)
        numbers = {
            "rank": [len(self.box) - 1],
            "elemtype": [self.element],
            "swizzle_mode": [self.swizzle],
            "fill_mode": [int(self.nan)],
            "box_dim": self.box,
            "global_dim": self.sizes,
            "element_stride": [1] * len(self.box),
        }
        for name, values in numbers.items():
            for n, value in enumerate(values):
                _set(raw, name, n, value, 4)
        for n, stride in enumerate(self.strides):
            _set(raw, "global_stride", n, stride, 8)
        return raw


def _set(raw: np.ndarray, field: str, index: int, value: int, size: int) -> None:
    start = _FIELDS[field] + size * index
    raw[start : start + size] = np.frombuffer(
        (value % (1 << 8 * size)).to_bytes(size, "little"), "u1"
    )


def read_descriptor(raw: np.ndarray) -> Descriptor:
    """Return what 128 bytes say.

    Raises: CodegenError: no descriptor.
    """

    def get(field: str, index: int = 0, size: int = 4) -> int:
        start = _FIELDS[field] + size * index
        return int.from_bytes(raw[start : start + size].tobytes(), "little")

    rank, element = get("rank") + 1, get("elemtype")
    kind, mode = _ELEMENTS.get(element), get("swizzle_mode")
    box = tuple(get("box_dim", n) for n in range(min(rank, 5)))
    if kind is None or rank > 5 or not all(1 <= size <= 256 for size in box):
        raise CodegenError(
            "no descriptor that the copy engine reads",
            found=f"rank {rank}, element type {element}, box {box}",
        )
    if box[0] * kind.itemsize > (_WIDTHS[mode] or 1 << 30):
        raise CodegenError("a box is wider than its swizzle", found=box, accepted=[_WIDTHS[mode]])
    return Descriptor(
        get("global_address", 0, 8),
        kind,
        box,
        tuple(get("global_dim", n) for n in range(rank)),
        tuple(get("global_stride", n, 8) for n in range(rank - 1)),
        tuple(get("element_stride", n) for n in range(rank)),
        _WIDTHS[mode],
        bool(get("fill_mode")),
    )


@assembly(
    r"@\$1 tensormap\.replace\.tile\.(\w+)\.shared::cta\.b1024\.b(32|64) \[\$0\]((?:, \$?\d+)+);"
)
def _replace(call: Call) -> Step:
    """Return the setting of one field: its index, where it has several, and then its value."""
    name, size = call.match[1], int(call.match[2]) // 8
    *index, last = call.match[3].strip(", ").split(", ")
    where = int(index[0]) if index else 0
    place = call.arguments[0]
    value = call.numbered(2) if last == "$2" else np.full(1, int(last))

    def step(block: Block) -> None:
        for thread, address, number in guarded(block, call.arguments[1], place, value):
            if block.shared.races is not None:
                block.shared.races.write(address + _PLACES, np.array([thread]))
            _set(block.shared.bytes[address : address + BYTES], name, where, number, size)

    return step


@assembly(r"@\$2 st\.shared\.b32 \[\$0\], \$1;")
def _clear(call: Call) -> Step:
    from weft.simulator.llvm_ir.types import Type

    address, value, guard = call.arguments

    def step(block: Block) -> None:
        mask = block.mask & np.broadcast_to(block.get(guard), block.threads)
        block.shared.store(Type("i32"), block.get(address), block.get(value), mask)

    return step


@assembly(
    r"@\$2 tensormap\.cp_fenceproxy\.global\.shared::cta\.tensormap::generic\.release\.gpu"
    r"\.sync\.aligned \[\$0\], \[\$1\], 128;"
)
def _publish(call: Call) -> Step:
    """Return the copy of a descriptor to global memory, once for a warp."""
    target, source, guard = call.arguments

    def step(block: Block) -> None:
        require_whole_warps(block, "tensormap.cp_fenceproxy")
        for thread, to, at in guarded(block, guard, target, source):
            if thread % block.lanes == 0:
                lanes = np.arange(thread, thread + block.lanes)
                if block.shared.races is not None:
                    block.shared.races.read_by_warp(at + _PLACES, lanes)
                block.memory.bytes[to : to + BYTES] = block.shared.bytes[at : at + BYTES]
                block.unseen.add(to)

    return step


@assembly(
    r"@\$1 fence\.proxy\.tensormap::generic\.acquire\.gpu \[\$0\], 128; "
    r"@\$1 cp\.async\.bulk\.commit_group; @\$1 cp\.async\.bulk\.wait_group\.read 0;"
)
def _acquire(call: Call) -> Step:
    def step(block: Block) -> None:
        for _, address in guarded(block, call.arguments[1], call.arguments[0]):
            block.unseen.discard(address)

    return step
