"""16-bit operations of CDNA on v128 and registers after it.

The emulator takes such a register for the upper half of v0 and registers after it, as RDNA 3 does.

Sources: "AMD Instinct MI300" and "RDNA3.5 Instruction Set Architecture", VOP1, VOP2 and VOPC.
"""

from __future__ import annotations

import numpy as np

from tests.emulator.corrections.correction import Instruction, correction
from tests.emulator.corrections.wave import Wave

__all__: list[str] = []

_FIRST_VECTOR = 256  # the number of v0 as a source
_HIGH = 128
_SRC0, _SRC1, _DESTINATION = (0, 9), (9, 8), (17, 8)  # first bit and bits of a field
_VOP1, _VOPC = 0b0111111, 0b0111110  # the upper bits; VOP2 has another number


def _word(instruction: Instruction) -> int:
    return int.from_bytes(instruction.data[:4], "little")


def _high_registers(instruction: Instruction) -> dict[tuple[int, int], int]:
    """List the vector registers from v128 on by the field that names them."""
    word = _word(instruction)
    kind = word >> 25
    fields = [_SRC0]
    fields += [] if kind == _VOP1 else [_SRC1]
    fields += [] if kind == _VOPC else [_DESTINATION]
    registers: dict[tuple[int, int], int] = {}
    for first, bits in fields:
        number = word >> first & (1 << bits) - 1
        if bits == 9:
            number -= _FIRST_VECTOR  # below 0: a scalar register or a constant
        if number >= _HIGH:
            registers[first, bits] = number
    return registers


def _has_high_registers(instruction: Instruction) -> bool:
    return bool(_high_registers(instruction))


@correction(
    "16-bit operations on v128 and after", "gfx9.*", r"V_\w*[FUIB]16\w*_E32", _has_high_registers
)
def _with_low_registers(instruction: Instruction, wave: Wave) -> None:
    """Run the instruction on copies in registers that it does not name."""
    high, word = _high_registers(instruction), _word(instruction)
    named = {word >> first & 0xFF for first, _ in (_SRC0, _SRC1, _DESTINATION)}
    free = [number for number in range(8) if number not in named]
    copies = dict(zip(dict.fromkeys(high.values()), free, strict=False))
    old_values = {copy: wave.vgpr[copy].copy() for copy in copies.values()}
    for number, copy in copies.items():
        wave.vgpr[copy] = wave.vgpr[number]
    for (first, bits), number in high.items():
        base = _FIRST_VECTOR if bits == 9 else 0
        word = word & ~((1 << bits) - 1 << first) | (base + copies[number]) << first
    literal = instruction.data[4 : instruction.size]
    wave.execute(np.uint32(word).tobytes() + literal)
    for number, copy in copies.items():
        wave.vgpr[number] = wave.vgpr[copy]
        wave.vgpr[copy] = old_values[copy]
