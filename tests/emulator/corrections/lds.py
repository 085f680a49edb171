"""Loads from LDS.

Sources: "AMD Instinct MI300", "RDNA4" and "CDNA4 Instruction Set Architecture", DS_READ_U16_D16_HI
and DS_READ_B64_TR_B16.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tests.emulator.corrections.buffers import extend
from tests.emulator.corrections.correction import Instruction, correction
from tests.emulator.corrections.memory_forms import memory_form
from tests.emulator.corrections.wave import Wave

__all__: list[str] = []

_ACC_BIT = 25  # of the encoding of LDS operations
_MOST_REGISTERS = 4  # of an operand


def _read(instruction: Instruction, wave: Wave, size: int) -> NDArray[np.uint8]:
    """Read bytes at the address of each lane, active or not, modulo 64 KiB."""
    offset = instruction.fields.offset1 << 8 | instruction.fields.offset0
    start = wave.vgpr[instruction.vector("addr")].astype(np.int64) + offset
    start = np.where(wave.active, start, 0)
    return wave.lds[start[:, None] + np.arange(size)]


@correction("LDS loads of a half", ".*", r"DS_(LOAD|READ)_[UI](8|16)_D16(_HI)?")
def _load_half(instruction: Instruction, wave: Wave) -> None:
    form = memory_form(instruction.name)
    data = np.zeros((wave.lanes, 4), np.uint8)
    data[:, : form.size] = _read(instruction, wave, form.size)
    first = instruction.vector("vdst")
    wave.write(first, extend(data, form, wave.vgpr[first]))


@correction("LDS loads that transpose", "gfx950", r"DS_READ_B64_TR_B(16|8|4)")
def _load_transposed(instruction: Instruction, wave: Wave) -> None:
    """Transpose the rows that groups of 16 lanes address: 64 bits of each row, of 16 elements.

    With elements of 16 bits: lanes 4 n to 4 n + 3 address row n of a matrix of 4 rows and 16
    columns, and lane c receives column c.
    """
    bits = int(instruction.name.rpartition("_B")[2])
    rows = _read(instruction, wave, 8)
    groups = rows.reshape(-1, 16, 8)
    if bits == 16:
        matrix = groups.view(np.uint16).reshape(-1, 4, 16)
        result = matrix.transpose(0, 2, 1)
    elif bits == 8:
        matrix = groups.reshape(-1, 8, 16)
        result = matrix.transpose(0, 2, 1)
    else:
        nibbles = np.stack([groups & 15, groups >> 4], axis=-1).reshape(-1, 16, 16)
        columns = nibbles.transpose(0, 2, 1)
        result = columns[..., ::2] | columns[..., 1::2] << 4
    words = np.ascontiguousarray(result).reshape(wave.lanes, -1).view(np.uint32)
    acc = bool(instruction.flag("acc"))
    wave.write(instruction.vector("vdst"), np.ascontiguousarray(words.T), acc)


def _has_accumulators(instruction: Instruction) -> bool:
    return instruction.flag("acc") > 0


@correction("LDS operations on AccVGPRs", "gfx9.*", r"DS_(READ|WRITE)_?2?.*", _has_accumulators)
def _with_accumulators(instruction: Instruction, wave: Wave) -> None:
    """Run the instruction on vector registers that hold copies of its AccVGPRs."""
    word = int.from_bytes(instruction.data[:8], "little") & ~(1 << _ACC_BIT)
    is_read = instruction.name.startswith("DS_READ")
    fields = {"vdst": 56} if is_read else {"data0": 40, "data1": 48}
    address = instruction.vector("addr")
    saved = wave.vgpr.copy()
    for number, (name, first) in enumerate({"addr": 32, **fields}.items()):
        copy, source = _MOST_REGISTERS * number, instruction.vector(name)
        rows = wave.accumulator[source : source + _MOST_REGISTERS]
        wave.vgpr[copy : copy + len(rows)] = saved[address] if name == "addr" else rows
        word = word & ~(0xFF << first) | copy << first
    wave.execute(word.to_bytes(8, "little"))
    if is_read:
        start = instruction.vector("vdst")
        rows = wave.accumulator[start : start + _MOST_REGISTERS]
        rows[:] = wave.vgpr[_MOST_REGISTERS : _MOST_REGISTERS + len(rows)]
    wave.vgpr[:] = saved
