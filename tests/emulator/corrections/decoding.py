"""Decode an instruction, with the forms that the emulator's package lacks.

Sources: "RDNA3.5", "RDNA4", "AMD Instinct MI200" and "CDNA4 Instruction Set Architecture", sections
on microcode formats.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tests.emulator.corrections.correction import Instruction

__all__ = ["ARCHITECTURES", "decode", "is_before_unscaled_mfma"]

# What the emulator calls each chip's instruction set.
ARCHITECTURES = {
    "gfx1100": "rdna3", "gfx1201": "rdna4", "gfx90a": "cdna", "gfx942": "cdna", "gfx950": "cdna",
}  # fmt: skip
_DPP16 = 0xFA  # as the operand src0
_DPP8 = (0xE9, 0xEA)  # the second one also reads inactive lanes
_BUFFER_ENCODINGS = {"gfx1100": (0b111000, "MUBUF", 8), "gfx1201": (0b110001, "VBUFFER", 12)}
_VOP3_ENCODING = 0b110101
# Of gfx90a, by bits 16 to 31; the decoder takes the instruction set of CDNA 3 and 4.
_MFMA_OF_GFX90A = {
    0xD3D4: "V_MFMA_I32_32X32X8I8",
    0xD3D5: "V_MFMA_I32_16X16X16I8",
    0xD3E6: "V_MFMA_F32_32X32X8BF16_1K",
    0xD3E7: "V_MFMA_F32_16X16X16BF16_1K",
}
# Of gfx950, by bits 16 to 31.
_MFMA_OF_F8F6F4 = (0xD3AD, 0xD3AE)
_LD_SCALE = 0xD3AC
_WBINVL1_VOL = 0xE0FC  # of gfx90a


def decode(chip: str, data: bytes) -> Instruction:
    """Decode the instruction at the start of `data`, 16 bytes or more.

    Raises:
        ValueError: The emulator's package does not know it either.
    """
    from tinygrad.renderer.amd import decode_inst  # pyright: ignore[reportMissingImports]

    fields, name = _decode_other(chip, data)
    if fields is None:
        fields = decode_inst(data, ARCHITECTURES[chip])
    size = _BUFFER_ENCODINGS[chip][2] if "BUFFER" in name else fields.size()
    if not name:
        is_dual = hasattr(type(fields), "opx")
        name = f"{fields.opx.name} {fields.opy.name}" if is_dual else fields.op.name
    return Instruction(chip, name, fields, data, size)


def is_before_unscaled_mfma(chip: str, data: bytes) -> bool:
    """Check whether the emulator takes instructions for the scales of the MFMA that follows.

    It decodes any 8 bytes before an MFMA of f8f6f4 as V_MFMA_LD_SCALE_B32, which is the first half
    of V_MFMA_SCALE.

    Args:
        chip: The chip, such as "gfx950".
        data: The instructions, 12 bytes or more.
    """
    first, second = (int.from_bytes(data[at : at + 2], "little") for at in (2, 10))
    return chip == "gfx950" and second in _MFMA_OF_F8F6F4 and first != _LD_SCALE


def _decode_other(chip: str, data: bytes) -> tuple[Any, str]:
    """Decode a form that `decode_inst` lacks, and its name; (None, "") for other instructions."""
    form = int.from_bytes(data[2:4], "little")
    encoding = form >> 10
    if chip == "gfx90a" and form in _MFMA_OF_GFX90A:
        return _decode_mfma(int.from_bytes(data[:8], "little")), _MFMA_OF_GFX90A[form]
    if chip == "gfx90a" and form == _WBINVL1_VOL:
        return SimpleNamespace(size=lambda: 8), "WBINVL1_VOL"
    if chip in _BUFFER_ENCODINGS and encoding == _BUFFER_ENCODINGS[chip][0]:
        fields = _format(ARCHITECTURES[chip], _BUFFER_ENCODINGS[chip][1]).from_bytes(data)
        return fields, fields.op.name
    if chip.startswith("gfx1") and encoding == _VOP3_ENCODING and _operand(data) == _DPP16:
        fields = _format(ARCHITECTURES[chip], "VOP3_DPP16").from_bytes(data)
        return fields, fields.op.name
    first_operand = int.from_bytes(data[:2], "little") & 0x1FF
    if chip.startswith("gfx1") and data[3] < 0x80 and first_operand in _DPP8:
        fields = _decode_dpp8(chip, data, first_operand == _DPP8[1])
        return fields, fields.op.name
    return None, ""


def _decode_mfma(word: int) -> Any:
    """Decode the operands of VOP3P-MAI."""
    sources = {
        f"src{n}": SimpleNamespace(offset=word >> low & 0x1FF) for n, low in enumerate((32, 41, 50))
    }
    return SimpleNamespace(
        vdst=SimpleNamespace(offset=word & 0xFF),
        acc_cd=word >> 15 & 1,
        acc=word >> 59 & 3,
        size=lambda: 8,
        **sources,
    )


def _decode_dpp8(chip: str, data: bytes, reads_inactive: bool) -> Any:
    """Decode VOP1, VOP2 or VOPC with DPP8, whose second dword has a register and eight lanes."""
    from tinygrad.renderer.amd import decode_inst  # pyright: ignore[reportMissingImports]

    fields = decode_inst(data, ARCHITECTURES[chip])
    return SimpleNamespace(
        op=fields.op,
        vdst=getattr(fields, "vdst", None),
        vsrc1=getattr(fields, "vsrc1", None),
        canonical_op_bits=fields.canonical_op_bits,
        vsrc0=SimpleNamespace(offset=data[4]),
        lanes=[int.from_bytes(data[5:8], "little") >> 3 * n & 7 for n in range(8)],
        row_mask=15,
        bank_mask=15,
        bc=1,
        fi=int(reads_inactive),
        size=lambda: 8,
    )


def _operand(data: bytes) -> int:
    """Read the operand src0 of VOP3."""
    return int.from_bytes(data[4:6], "little") & 0x1FF


def _format(architecture: str, name: str) -> Any:
    from importlib import import_module

    return getattr(import_module(f"tinygrad.runtime.autogen.amd.{architecture}.ins"), name)
