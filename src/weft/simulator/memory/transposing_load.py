"""AMD's transposing loads from LDS: a lane receives elements from the rows of several lanes.

    ds_read_tr16_b64    register r of lane l gets element l % 4 of the row that lane (l / 4 …, r …)
                        supplies

`weft.layouts.instruction_tiles` lists, for each bit of the element's and the row's number, which
bit of r or l it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from weft.layouts.instruction_tiles import TILES
from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Type
from weft.simulator.registry import Call, intrinsic

__all__: list[str] = []

_INSTRUCTIONS = {
    "llvm.amdgcn.ds.read.tr16.b64.v4i16": "ds_read_b64_tr_b16",
    "llvm.amdgcn.ds.read.tr8.b64.v2i32": "ds_read_b64_tr_b8",
    "llvm.amdgcn.ds.read.tr4.b64.v2i32": "ds_read_b64_tr_b4",
    "llvm.amdgcn.ds.load.tr4.b64.v2i32": "ds_load_tr4_b64",
    "llvm.amdgcn.ds.load.tr16.b128.v8i16": "ds_load_tr16_b128",
    "llvm.amdgcn.ds.load.tr8.b64.v2i32": "ds_load_tr8_b64",
}
"""LLVM intrinsic → instruction, as `TILES` names it."""
_FP4_BITS = 4


def _gather_bits(sources: Sequence[str], lane: np.ndarray, register: np.ndarray) -> np.ndarray:
    """Compose numbers of bits of lanes and registers: source "l3" is bit 3 of the lane."""
    total = np.zeros(np.broadcast_shapes(lane.shape, register.shape), int)
    for bit, source in enumerate(sources):
        number = lane if source[0] == "l" else register
        total = total | (number >> int(source[1:]) & 1) << bit
    return total


@intrinsic("|".join(re.escape(name) for name in _INSTRUCTIONS))
def _compile(call: Call) -> Step:
    """Compile a transposing load."""
    tile = TILES[_INSTRUCTIONS[call.match[0]]][0]
    bits = tile.element_bits[0]
    count = tile.bits // bits
    element = Type(f"i{max(8, bits)}")

    def step(block: Block) -> None:
        thread, register = np.arange(block.threads)[:, None], np.arange(count)[None, :]
        lane = thread % block.warp_size
        source = thread - lane + _gather_bits(tile.address, lane, register)
        row = block.per_thread(call.arguments[0])
        offset = _gather_bits(tile.offset, lane, register)
        addresses = row[source] + offset * bits // 8
        block.shared.traffic.add(tile.name, tile.bits // 8, block.active_warps)
        block.count_shared("matrix load", tile.bits // 8, row)
        columns = [block.shared.load(element, addresses[:, n], block.active) for n in range(count)]
        values = np.ascontiguousarray(np.stack(columns, axis=1))
        if bits == _FP4_BITS:  # each load fetched a byte with two elements
            shifts = (offset % 2 * _FP4_BITS).astype(np.uint8)
            nibbles = values.view(np.uint8) >> shifts & 15
            values = nibbles[:, ::2] | nibbles[:, 1::2] << _FP4_BITS
        block.set(call.result, values if bits == 16 else values.view(np.int32))

    return step
