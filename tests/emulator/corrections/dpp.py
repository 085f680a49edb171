"""DPP: the first operand comes from another lane of the same register.

The emulator computes the rest of the instruction: it runs the form without DPP, whose operand is a
register with the permuted values, on the lanes that DPP enables.

Sources: "AMD Instinct MI300" and "RDNA3.5 Instruction Set Architecture", sections "Data Parallel
Processing".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tests.emulator.corrections.correction import Instruction, correction
from tests.emulator.corrections.wave import Wave

__all__: list[str] = []

_IDENTITY = 0xE4  # quad_perm:[0,1,2,3]
_ROW_BROADCAST_15, _ROW_BROADCAST_31, _ROW_SHARE, _ROW_XMASK = 0x142, 0x143, 0x150, 0x160
_HALF = 128  # register numbers from here on name the upper half of a register in 16-bit operands

_Lanes = NDArray[np.int64]


def _is_dpp(instruction: Instruction) -> bool:
    return hasattr(instruction.fields, "dpp")


def _is_dpp8(instruction: Instruction) -> bool:
    return hasattr(instruction.fields, "lanes")


def _is_in_place(instruction: Instruction) -> bool:
    fields = instruction.fields
    destination = getattr(fields, "vdst", None)
    return _is_dpp(instruction) and destination is not None and (
        destination.offset & 0xFF == fields.vsrc0.offset & 0xFF
    )  # fmt: skip


def _control(instruction: Instruction) -> int:
    return instruction.fields.dpp if _is_dpp(instruction) else _IDENTITY


def _masks_lanes(instruction: Instruction) -> bool:
    """Check whether DPP leaves the destination of some lanes as it is."""
    fields = instruction.fields
    if not _is_dpp(instruction) or "V_MOV_B32" in instruction.name:
        return False
    partial = (fields.row_mask, fields.bank_mask) != (15, 15)
    is_shift = 0x100 < fields.dpp < 0x120 or fields.dpp in (0x130, 0x138)
    return partial or (is_shift and not fields.bc)


def _source_lanes(control: int, lanes: int) -> tuple[_Lanes, NDArray[np.bool_]]:
    """Compute the lane that each lane reads, and whether there is one."""
    lane = np.arange(lanes)
    row, column = lane & ~15, lane & 15
    amount = control & 15
    everywhere = np.ones(lanes, bool)
    if control < 0x100:
        return lane & ~3 | control >> 2 * (lane & 3) & 3, everywhere
    if control == 0x140:
        return row | 15 - column, everywhere
    if control == 0x141:
        return lane & ~7 | 7 - (lane & 7), everywhere
    if control == _ROW_BROADCAST_15:
        return row - 1, row > 0
    if control == _ROW_BROADCAST_31:
        return lane // 32 * 32 - 1, lane >= 32
    shifts: dict[int, tuple[_Lanes, NDArray[np.bool_]]] = {
        0x100: (lane + amount, column + amount < 16),
        0x110: (lane - amount, column >= amount),
        0x120: (row | column - amount & 15, everywhere),
        _ROW_SHARE: (row | amount, everywhere),
        _ROW_XMASK: (row | column ^ amount, everywhere),
    }
    if control & ~15 in shifts:
        return shifts[control & ~15]
    moves = {0x130: lane + 1, 0x134: lane + 1, 0x138: lane - 1, 0x13C: lane - 1}
    source = moves[control]
    wraps = control in (0x134, 0x13C)
    return source % lanes, everywhere if wraps else (source >= 0) & (source < lanes)


def _run(instruction: Instruction, wave: Wave) -> None:
    fields, active = instruction.fields, wave.active
    if instruction.flag("src1_neg") or instruction.flag("src1_abs"):
        raise NotImplementedError("DPP with a modifier of the second operand")
    if _is_dpp8(instruction):
        lane = np.arange(wave.lanes)
        source, exists = lane & ~7 | np.array(fields.lanes)[lane & 7], np.ones(wave.lanes, bool)
    else:
        source, exists = _source_lanes(fields.dpp, wave.lanes)
    source = np.clip(source, 0, wave.lanes - 1)
    exists = exists & (active[source] | bool(instruction.flag("fi")))
    lane = np.arange(wave.lanes)
    enabled = (fields.row_mask >> lane // 16 & 1) & (fields.bank_mask >> lane % 16 // 4 & 1) != 0
    if not fields.bc:
        enabled &= exists

    is_half = fields.canonical_op_bits["s0"] == 16
    number = fields.vsrc0.offset & 0xFF
    upper = number & _HALF if is_half else 0
    register = _free_register(instruction)
    old_values = wave.vgpr[register].copy()
    values = np.where(exists, wave.vgpr[number - upper][source], 0).astype(np.uint32)
    wave.vgpr[register] = _modify(instruction, values, is_half)
    wave.active = active & enabled
    wave.execute(_without_dpp(instruction, register | upper))
    wave.active = active
    wave.vgpr[register] = old_values


def _modify(instruction: Instruction, values: NDArray[np.uint32], half: bool) -> NDArray[np.uint32]:
    """Apply absolute value and negation of the first operand, of both halves of 16-bit ones."""
    signs = np.uint32(0x80008000 if half else 0x80000000)
    if instruction.flag("src0_abs"):
        values = values & ~signs
    return values ^ signs if instruction.flag("src0_neg") else values


def _free_register(instruction: Instruction) -> int:
    """Choose a register below 128 that the instruction does not name."""
    names = ("vdst", "vsrc0", "vsrc1", "src1", "src2")
    numbers = [getattr(instruction.fields, name, None) for name in names]
    used = {(each.offset & 0x7F) + n for each in numbers if each is not None for n in (0, 1)}
    return next(each for each in range(120, 0, -1) if each not in used)


def _without_dpp(instruction: Instruction, register: int) -> bytes:
    """Encode the instruction without DPP, with a vector register as its first operand."""
    operand = 256 | register
    words = np.frombuffer(instruction.data[: instruction.size], np.uint32).copy()
    at = len(words) - 2  # the word with src0; the last one is of DPP
    words[at] = words[at] & ~np.uint32(0x1FF) | operand
    return words[:-1].tobytes()


_CAUSES: tuple[tuple[str, Callable[[Instruction], bool]], ...] = (
    ("DPP8", _is_dpp8),
    ("DPP row_bcast", lambda each: _control(each) in (_ROW_BROADCAST_15, _ROW_BROADCAST_31)),
    ("DPP row_share", lambda each: _control(each) & ~15 == _ROW_SHARE),
    ("DPP row_xmask", lambda each: _control(each) & ~15 == _ROW_XMASK),
    ("DPP in place", _is_in_place),
    ("DPP of masked lanes", _masks_lanes),
    ("DPP in VOP3", lambda each: _is_dpp(each) and each.size == 12),
)


for _cause, _applies in _CAUSES:
    correction(_cause, ".*", "V_.*", _applies)(_run)
