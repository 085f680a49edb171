"""Instructions that read registers of other lanes, without DPP.

Source: "RDNA4 Instruction Set Architecture", DS_SWIZZLE_B32 and V_PERMLANE16_B32; "AMD Instinct
CDNA4 Instruction Set Architecture", V_PERMLANE16_SWAP_B32 and V_PERMLANE32_SWAP_B32.
"""

from __future__ import annotations

import numpy as np

from tests.emulator.corrections.correction import Instruction, correction
from tests.emulator.corrections.wave import Wave

__all__: list[str] = []

_QUAD_MODE, _ROTATE_MODE = 0x8000, 0xC000
_LITERAL = 255


@correction("ds_swizzle", ".*", "DS_SWIZZLE_B32")
def _swizzle(instruction: Instruction, wave: Wave) -> None:
    """Permute the lanes of each group of 32; a lane reads 0 from an inactive one."""
    mode = instruction.fields.offset1 << 8 | instruction.fields.offset0
    lane = np.arange(wave.lanes)
    if mode >= _ROTATE_MODE:
        amount = (mode >> 5 & 31) * (-1 if mode >> 10 & 1 else 1)
        source = (lane + amount) & 31 & ~mode | lane & mode & 31
    elif mode >= _QUAD_MODE:
        source = lane & 28 | mode >> 2 * (lane & 3) & 3
    else:
        source = (lane & mode & 31 | mode >> 5 & 31) ^ mode >> 10 & 31
    source |= lane & ~31
    values = np.where(wave.active, wave.vgpr[instruction.vector("addr")], 0)[source]
    wave.write(instruction.vector("vdst"), values[None].astype(np.uint32))


@correction("ds_bpermute past the lanes", ".*", "DS_BPERMUTE_B32")
def _permute(instruction: Instruction, wave: Wave) -> bool:
    """Read the lane whose number the address has, times 4, modulo the number of lanes.

    The emulator reads other registers for higher addresses.
    """
    offset = instruction.fields.offset1 << 8 | instruction.fields.offset0
    address = wave.vgpr[instruction.vector("addr")] + np.uint32(offset)
    values = np.where(wave.active, wave.vgpr[instruction.vector("data0")], 0)
    wave.write(
        instruction.vector("vdst"), values[None, address // 4 % wave.lanes].astype(np.uint32)
    )
    return bool((address[wave.active] // 4 >= wave.lanes).any())


@correction(
    "permlane with a literal",
    "gfx1.*",
    "V_PERMLANEX?16_B32(_E64)?",
    lambda each: _LITERAL in (each.register("src1"), each.register("src2")),
)
def _permlane(instruction: Instruction, wave: Wave) -> None:
    """Permute the lanes of each row of 16, of the other row of two with "X"."""
    literal = int.from_bytes(instruction.data[8:12], "little")
    low, high = (
        literal if register == _LITERAL else wave.scalar(register)
        for register in (instruction.register("src1"), instruction.register("src2"))
    )
    lane = np.arange(wave.lanes)
    row = lane & ~15 ^ (16 if "X16" in instruction.name else 0)
    source = row + np.array([(high << 32 | low) >> 4 * int(each) & 15 for each in lane & 15])
    values = wave.vgpr[instruction.vector("src0")][source]
    wave.write(instruction.vector("vdst"), values[None])


@correction("permlane swaps", "gfx950", r"V_PERMLANE(16|32)_SWAP_B32(_E32|_E64)?")
def _permlane_swap(instruction: Instruction, wave: Wave) -> None:
    """Exchange the odd rows of the destination with the even rows of the source."""
    width = 16 if "LANE16" in instruction.name else 32
    destination, source = instruction.vector("vdst"), instruction.vector("src0")
    first, second = (wave.vgpr[each].reshape(-1, 2, width) for each in (destination, source))
    odd, even = first[:, 1].copy(), second[:, 0].copy()
    first[:, 1], second[:, 0] = even, odd
