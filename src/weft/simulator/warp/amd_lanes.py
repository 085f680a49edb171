"""AMD's moves between lanes with a fixed pattern: DPP, ds_swizzle, permlane.

    update.dpp, quad_perm:[1,0,3,2]      lane l reads lane l ^ 1
    ds.swizzle, xor 16                   lane l of 32 reads lane l ^ 16

Source: AMD's instruction set references, DPP and swizzle modes.
"""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.registry import Call, array_intrinsic, intrinsic
from weft.simulator.warp.shuffles import read_lanes

__all__: list[str] = []

_ROW = 16  # lanes
_ALL = 15  # mask of all rows or banks
# Values of DPP's control operand: quad_perm is below 0x100; others have a number in the low bits.
_ROW_ROTATE, _ROW_SHARE, _ROW_XMASK = 0x120, 0x150, 0x160
_ROW_MIRROR, _ROW_HALF_MIRROR = 0x140, 0x141


def _lane(block: Block) -> np.ndarray:
    return np.arange(block.threads) % block.warp_size


def _dpp_source(control: int, lane: np.ndarray) -> np.ndarray:
    """Compute the lane that each lane reads.

    Raises:
        CodegenError: Code generation does not use this control.
    """
    row, position = lane // _ROW * _ROW, lane % _ROW
    mode, number = control & ~15, control & 15
    if control < 0x100:
        return lane // 4 * 4 + (control >> 2 * (lane % 4) & 3)
    if mode == _ROW_ROTATE:
        return row + (position - number) % _ROW
    if control in (_ROW_MIRROR, _ROW_HALF_MIRROR):
        return row + (position ^ (15 if control == _ROW_MIRROR else 7))
    if mode == _ROW_SHARE:
        return row + number
    if mode == _ROW_XMASK:
        return row + (position ^ number)
    raise CodegenError("the simulator does not support this DPP control", found=hex(control))


@array_intrinsic("llvm.amdgcn.update.dpp")
def _dpp(
    block: Block,
    old: np.ndarray,
    value: np.ndarray,
    control: np.ndarray,
    row_mask: np.ndarray,
    bank_mask: np.ndarray,
    bound_control: np.ndarray,
) -> np.ndarray:
    if int(row_mask[0]) != _ALL or int(bank_mask[0]) != _ALL:
        raise CodegenError(
            "the simulator supports DPP of all rows and banks only",
            found=[int(row_mask[0]), int(bank_mask[0])],
        )
    return read_lanes(block, value, _dpp_source(int(control[0]), _lane(block)), "DPP")


@array_intrinsic("llvm.amdgcn.mov.dpp8")
def _dpp8(block: Block, value: np.ndarray, selectors: np.ndarray) -> np.ndarray:
    """Read one of 8 lanes; `selectors` packs 3 bits per lane."""
    lane = _lane(block)
    source = lane // 8 * 8 + (int(selectors[0]) >> 3 * (lane % 8) & 7)
    return read_lanes(block, value, source, "DPP8")


@array_intrinsic("llvm.amdgcn.ds.swizzle")
def _swizzle(block: Block, value: np.ndarray, pattern: np.ndarray) -> np.ndarray:
    number, lane = int(pattern[0]), _lane(block)
    and_mask, or_mask, xor_mask = number & 31, number >> 5 & 31, number >> 10 & 31
    source = ((lane % 32 & and_mask) | or_mask) ^ xor_mask
    return read_lanes(block, value, lane // 32 * 32 + source, "ds_swizzle")


@array_intrinsic("llvm.amdgcn.permlanex16")
def _permute_other_row(
    block: Block,
    old: np.ndarray,
    value: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    fetch_inactive: np.ndarray,
    bound_control: np.ndarray,
) -> np.ndarray:
    """Read a lane of the other row; `low` and `high` pack 4 bits per lane."""
    lane = _lane(block)
    selectors = int(low[0]) & (1 << 32) - 1 | (int(high[0]) & (1 << 32) - 1) << 32
    position = np.array([selectors >> 4 * n & 15 for n in range(_ROW)])[lane % _ROW]
    return read_lanes(block, value, (lane // _ROW ^ 1) * _ROW + position, "permlanex16")


@array_intrinsic("llvm.amdgcn.readlane")
def _read_lane(block: Block, value: np.ndarray, lane: np.ndarray) -> np.ndarray:
    return read_lanes(block, value, np.broadcast_to(lane, block.threads), "readlane")


@intrinsic(r"llvm\.amdgcn\.permlane(16|32)\.swap")
def _swap(call: Call) -> Step:
    """Compile a swap: lanes with the bit set in `first` exchange with those without in `second`."""
    bit = int(call.match[1])
    first, second = call.arguments[:2]

    def step(block: Block) -> None:
        lane = _lane(block)
        is_set, partner = (lane & bit) != 0, lane ^ bit
        a, b = block.per_thread(first), block.per_thread(second)
        new_a = np.where(is_set, read_lanes(block, b, partner, "permlane"), a)
        new_b = np.where(is_set, b, read_lanes(block, a, partner, "permlane"))
        block.set_members(call.result, (new_a, new_b))

    return step
