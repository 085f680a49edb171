"""Moves between lanes that AMD's vector unit or crossbar does by a pattern in the instruction.

    update.dpp, quad_perm:[1,0,3,2]      lane l takes lane l ^ 1
    ds.swizzle, xor 16                   lane l of 32 takes lane l ^ 16

Source: AMD's instruction set references, DPP and swizzle modes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.registry import Call, intrinsic, value
from weft.simulator.warp.lanes import of_lane

__all__: list[str] = []

_ROW = 16


def _lanes(block: Block) -> np.ndarray:
    return np.arange(block.threads) % block.lanes


def _dpp_source(control: int, lane: np.ndarray) -> np.ndarray:
    """Return which lane each takes from.

    Raises: CodegenError: a pattern that code generation does not write.
    """
    row, place = lane // _ROW * _ROW, lane % _ROW
    mode, number = control & ~15, control & 15
    if control < 0x100:
        return lane // 4 * 4 + (control >> 2 * (lane % 4) & 3)
    if mode == 0x120:
        return row + (place - number) % _ROW
    if control in (0x140, 0x141):
        return row + (place ^ (15 if control == 0x140 else 7))
    if mode == 0x150:
        return row + number
    if mode == 0x160:
        return row + (place ^ number)
    raise CodegenError("the simulator does not know this pattern of DPP", found=hex(control))


@value("llvm.amdgcn.update.dpp")
def _dpp(
    block: Block, old: Any, given: Any, control: Any, rows: Any, banks: Any, bound: Any
) -> np.ndarray:
    if int(rows[0]) != 15 or int(banks[0]) != 15:
        raise CodegenError("the simulator knows DPP of all rows and banks", found=[rows, banks])
    return of_lane(block, given, _dpp_source(int(control[0]), _lanes(block)), "DPP")


@value("llvm.amdgcn.mov.dpp8")
def _dpp8(block: Block, given: Any, packed: Any) -> np.ndarray:
    lane = _lanes(block)
    return of_lane(block, given, lane // 8 * 8 + (int(packed[0]) >> 3 * (lane % 8) & 7), "DPP8")


@value("llvm.amdgcn.ds.swizzle")
def _swizzle(block: Block, given: Any, pattern: Any) -> np.ndarray:
    number, lane = int(pattern[0]), _lanes(block)
    kept, joined, flipped = number & 31, number >> 5 & 31, number >> 10 & 31
    place = ((lane % 32 & kept) | joined) ^ flipped
    return of_lane(block, given, lane // 32 * 32 + place, "ds_swizzle")


@value("llvm.amdgcn.permlanex16")
def _other_row(
    block: Block, old: Any, given: Any, low: Any, high: Any, fetch: Any, bound: Any
) -> np.ndarray:
    lane = _lanes(block)
    chosen = int(low[0]) & (1 << 32) - 1 | (int(high[0]) & (1 << 32) - 1) << 32
    place = np.array([chosen >> 4 * n & 15 for n in range(_ROW)])[lane % _ROW]
    return of_lane(block, given, (lane // _ROW ^ 1) * _ROW + place, "permlanex16")


@value("llvm.amdgcn.readlane")
def _one_lane(block: Block, given: Any, lane: Any) -> np.ndarray:
    return of_lane(block, given, np.broadcast_to(lane, block.threads), "readlane")


@intrinsic(r"llvm\.amdgcn\.permlane(16|32)\.swap")
def _swap(call: Call) -> Step:
    """Swap the rows of the first operand that have the bit with those of the second without."""
    bit = int(call.match[1])
    first, second = call.arguments[:2]

    def step(block: Block) -> None:
        lane = _lanes(block)
        has = (lane & bit) != 0
        a, b = (np.broadcast_to(block.get(one), block.threads) for one in (first, second))
        other = lane ^ bit
        swapped = np.where(has, of_lane(block, b, other, "permlane"), a)
        given = np.where(has, b, of_lane(block, a, other, "permlane"))
        block.set_members(call.result, (swapped, given))

    return step
