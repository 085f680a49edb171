"""Loads that transpose among lanes: which element of whose row a lane gets, from the tile's bits.

    ds_read_tr16_b64    register r of lane l gets element l % 4 of the row of lane (l / 4 …, r …)

`weft.layouts.instruction_tiles` says of each bit of element and row which bit of r or l gives it.
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

_TILES = {
    "llvm.amdgcn.ds.read.tr16.b64.v4i16": "ds_read_b64_tr_b16",
    "llvm.amdgcn.ds.read.tr8.b64.v2i32": "ds_read_b64_tr_b8",
    "llvm.amdgcn.ds.read.tr4.b64.v2i32": "ds_read_b64_tr_b4",
    "llvm.amdgcn.ds.load.tr4.b64.v2i32": "ds_load_tr4_b64",
    "llvm.amdgcn.ds.load.tr16.b128.v8i16": "ds_load_tr16_b128",
    "llvm.amdgcn.ds.load.tr8.b64.v2i32": "ds_load_tr8_b64",
}


_HALF = 4  # bits: two elements of a byte


def _numbers(slots: Sequence[str], lane: np.ndarray, register: np.ndarray) -> np.ndarray:
    """Return the numbers whose bits are those of lanes and registers that slots name."""
    total = np.zeros(np.broadcast_shapes(lane.shape, register.shape), int)
    for bit, slot in enumerate(slots):
        source = lane if slot[0] == "l" else register
        total = total | (source >> int(slot[1:]) & 1) << bit
    return total


@intrinsic("|".join(re.escape(name) for name in _TILES))
def _load_transposed(call: Call) -> Step:
    """Return a transposing load as a step."""
    tile = TILES[_TILES[call.match[0]]][0]
    bits = tile.element_bits[0]
    count = tile.bits // bits
    element = Type(f"i{max(8, bits)}")

    def step(block: Block) -> None:
        thread, register = np.arange(block.threads)[:, None], np.arange(count)[None, :]
        lane = thread % block.lanes
        giver = thread - lane + _numbers(tile.address, lane, register)
        row = np.broadcast_to(block.get(call.arguments[0]), block.threads)
        offset = _numbers(tile.offset, lane, register)
        places = row[giver] + offset * bits // 8
        block.shared.traffic.add(tile.name, tile.bits // 8, block.warps)
        columns = [block.shared.load(element, places[:, n], block.mask) for n in range(count)]
        whole = np.ascontiguousarray(np.stack(columns, axis=1))
        if bits == _HALF:
            shifts = (offset % 2 * _HALF).astype(np.uint8)
            halves = whole.view(np.uint8) >> shifts & 15
            whole = halves[:, ::2] | halves[:, 1::2] << _HALF
        block.set(call.result, whole if bits == 16 else whole.view(np.int32))

    return step
