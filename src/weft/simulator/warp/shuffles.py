"""Exchange of values between the lanes of a warp: shuffles, votes, reductions, election.

These instructions require converged warps, which each step checks.
Source: PTX ISA 9.0, shfl.sync, vote.sync, redux.sync, elect.sync; AMD's ISA, ds_bpermute_b32.
"""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.registry import ArrayFunction, Call, array_intrinsic, intrinsic

__all__ = ["check_full_mask", "check_whole_warps", "first_active_lane", "read_lanes"]


def first_active_lane(block: Block, values: np.ndarray) -> np.ndarray:
    """Broadcast the value of the first active lane of each warp."""
    rows = np.broadcast_to(values, block.threads).reshape(-1, block.warp_size)
    first = block.active.reshape(-1, block.warp_size).argmax(axis=1)
    return np.repeat(rows[np.arange(len(rows)), first], block.warp_size)


def check_whole_warps(block: Block, instruction: str) -> None:
    """Check that all lanes of each warp are active, or none.

    Raises:
        CodegenError: A warp has diverged.
    """
    warps = block.by_warp(block.active)
    if (warps.any(axis=1) & ~warps.all(axis=1)).any():
        raise CodegenError(
            f"{instruction} in a warp that has diverged",
            found=f"{int(block.active.sum())} of {block.threads} threads are active",
        )


def check_full_mask(members: np.ndarray, instruction: str) -> None:
    """Check that the member mask of an instruction names all lanes.

    Raises:
        CodegenError: It does not.
    """
    if (members != -1).any():
        raise CodegenError(
            f"the simulator supports {instruction} with a full member mask only",
            found=hex(int(members[0])),
        )


def read_lanes(
    block: Block, values: np.ndarray, source: np.ndarray, instruction: str
) -> np.ndarray:
    """Read the value of another lane of the warp.

    Args:
        block: The block.
        values: Value per thread.
        source: Lane to read from, per thread.
        instruction: Name of the instruction, for messages.

    Raises:
        CodegenError: A warp has diverged.
    """
    check_whole_warps(block, instruction)
    thread = np.arange(block.threads)
    source_thread = thread // block.warp_size * block.warp_size + source % block.warp_size
    return np.broadcast_to(values, block.threads)[source_thread]


def _lane(block: Block) -> np.ndarray:
    return np.arange(block.threads, dtype=np.int32) % block.warp_size


@array_intrinsic("llvm.nvvm.shfl.sync.bfly.i32")
def _shuffle_xor(
    block: Block, members: np.ndarray, value: np.ndarray, mask: np.ndarray, clamp: np.ndarray
) -> np.ndarray:
    check_full_mask(members, "shfl.sync")
    if (clamp != block.warp_size - 1).any():
        raise CodegenError(
            "the simulator does not support shfl.sync in segments of a warp", found=clamp[0]
        )
    return read_lanes(block, value, _lane(block) ^ mask, "shfl.sync")


@array_intrinsic("llvm.nvvm.shfl.sync.idx.i32")
def _shuffle_index(
    block: Block, members: np.ndarray, value: np.ndarray, lane: np.ndarray, clamp: np.ndarray
) -> np.ndarray:
    check_full_mask(members, "shfl.sync")
    if (clamp & 0xFF != block.warp_size - 1).any():
        raise CodegenError(
            "the simulator does not support shfl.sync that clamps", found=hex(int(clamp[0]))
        )
    segment = (clamp >> 8) & (block.warp_size - 1)  # bits of the lane that stay as they are
    source = (_lane(block) & segment) | (np.broadcast_to(lane, block.threads) & ~segment)
    return read_lanes(block, value, source, "shfl.sync")


@array_intrinsic("llvm.amdgcn.ds.bpermute")
def _permute(block: Block, address: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Read the lane at a byte address, 4 bytes per lane."""
    return read_lanes(block, value, np.broadcast_to(address, block.threads) >> 2, "ds_bpermute")


@array_intrinsic("llvm.amdgcn.readfirstlane.i32")
def _read_first_lane(block: Block, value: np.ndarray) -> np.ndarray:
    return first_active_lane(block, value)


@array_intrinsic("llvm.nvvm.vote.any.sync")
def _vote_any(block: Block, members: np.ndarray, value: np.ndarray) -> np.ndarray:
    check_full_mask(members, "vote.sync")
    check_whole_warps(block, "vote.sync")
    rows = block.by_warp(np.broadcast_to(value, block.threads))
    return np.repeat(rows.any(axis=1), rows.shape[1])


def _reduction(function: np.ufunc, *, is_unsigned: bool) -> ArrayFunction:
    def run(block: Block, value: np.ndarray, members: np.ndarray) -> np.ndarray:
        check_full_mask(members, "redux.sync")
        check_whole_warps(block, "redux.sync")
        values = np.ascontiguousarray(np.broadcast_to(value, block.threads))
        rows = block.by_warp(values.view(f"u{values.dtype.itemsize}") if is_unsigned else values)
        totals = function.reduce(rows, axis=1, dtype=rows.dtype)
        return np.repeat(totals, rows.shape[1]).view(values.dtype)

    return run


for _name, _function, _is_unsigned in (
    ("add", np.add, False),
    ("and", np.bitwise_and, False),
    ("or", np.bitwise_or, False),
    ("xor", np.bitwise_xor, False),
    ("max", np.maximum, False),
    ("min", np.minimum, False),
    ("umax", np.maximum, True),
    ("umin", np.minimum, True),
    ("fmax", np.fmax, False),
    ("fmin", np.fmin, False),
    ("fmax.NaN", np.maximum, False),
    ("fmin.NaN", np.minimum, False),
):
    array_intrinsic(f"llvm.nvvm.redux.sync.{_name}")(
        _reduction(_function, is_unsigned=_is_unsigned)
    )


@intrinsic(r"llvm\.nvvm\.elect\.sync")
def _elect(call: Call) -> Step:
    """Compile the election of one lane per warp: its number, and whether a thread is elected."""

    def step(block: Block) -> None:
        check_full_mask(block.get(call.arguments[0]), "elect.sync")
        rows = block.by_warp(block.active)
        lanes = rows.argmax(axis=1)
        is_elected = np.zeros(rows.shape, bool)
        is_elected[np.arange(len(rows)), lanes] = True
        lane = np.repeat(lanes, rows.shape[1]).astype(np.int32)
        block.set_members(call.result, (lane, is_elected.reshape(-1) & block.active))

    return step
