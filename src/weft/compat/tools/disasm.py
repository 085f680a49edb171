"""`triton.tools.disasm`: the SASS of a cubin with the control codes of each instruction.

    get_sass(compiled.asm["cubin"])

    Function:add
    --:-:-:Y:1    S2R R0, SR_TID.X;
    01:-:-:Y:5    @P0 BRA LBB0;

A control code is wait:read:write:yield:stall: the mask of barriers that the instruction waits for,
the barriers that it sets when its operands are read and its result is written, whether the warp may
yield, and the cycles until the next instruction. Their bits are those of Volta and later chips
(Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018).
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from functools import lru_cache

from weft import knobs
from weft.errors import CodegenError

__all__ = [
    "BRA_RE",
    "FLINE_RE",
    "FNAME_RE",
    "SLINE_RE",
    "extract",
    "get_sass",
    "parseCtrl",
    "path_to_cuobjdump",
    "processSassLines",
]

FLINE_RE = re.compile(r"\s*/\*\w{4,}\*/\s*([^;]*;)\s*/\* 0x(\w{16}) \*/\s*")
"""Matches the first line of an instruction: address, text and the lower half of the encoding."""
SLINE_RE = re.compile(r"\s*/\* 0x(\w{16}) \*/\s*")
"""Matches the second line: the upper half of the encoding."""
FNAME_RE = re.compile(r"\s*Function : (\w+)\s*")
"""Matches the line with a function's name."""
BRA_RE = re.compile(r"(.*BRA(?:\.U)? )(0x\w+);")
"""Matches a branch: what comes before the address, and the address."""

_INSTRUCTION_BYTES = 16
_NO_BARRIER = 7


def parseCtrl(sline: str) -> str:
    """Read the control code of an instruction from the second line of its encoding."""
    match = SLINE_RE.match(sline)
    if match is None:
        raise CodegenError("not an encoding of an instruction", found=sline)
    bits = int(match[1], 16) >> 41
    stall, is_fixed, write, read = bits & 15, bits >> 4 & 1, bits >> 5 & 7, bits >> 8 & 7
    wait = bits >> 11 & 63
    barriers = ["-" if each == _NO_BARRIER else str(each) for each in (read, write)]
    return ":".join([f"{wait:02d}" if wait else "--", *barriers, "-Y"[not is_fixed], f"{stall:x}"])


def processSassLines(fline: str, sline: str, labels: dict[int, int]) -> tuple[str, str]:
    """Read an instruction.

    Args:
        fline: The first line.
        sline: The second line.
        labels: The number of the label at each address; that of a branch's target is added.

    Returns:
        The control code and the text.
    """
    match = FLINE_RE.match(fline)
    if match is None:
        raise CodegenError("not an instruction", found=fline)
    text = match[1].removesuffix(" ;").removesuffix(";") + ";"
    if branch := BRA_RE.match(text):
        labels.setdefault(int(branch[2], 16), len(labels))
    return parseCtrl(sline), text


@lru_cache
def get_sass(cubin_asm: bytes, fun: str | None = None) -> str | None:
    """Disassemble a cubin.

    Args:
        cubin_asm: The cubin.
        fun: The function; None for the first one.

    Returns:
        A line per instruction; None if there is no such function.
    """
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin_asm)
        file.flush()
        return extract(file.name, fun)


def path_to_cuobjdump() -> str:
    """Get the path of the CUDA toolkit's cuobjdump."""
    return knobs.nvidia.cuobjdump.path


def extract(file_path: str, fun: str | None) -> str | None:
    """Disassemble the cubin in a file; see `get_sass`."""
    function = [] if fun is None else ["-fun", fun]
    command = [path_to_cuobjdump(), *function, "-sass", file_path]
    lines = iter(subprocess.check_output(command, text=True).splitlines())
    name = next((match[1] for match in map(FNAME_RE.match, lines) if match), None)
    if name is None:
        return None
    labels: dict[int, int] = {}
    instructions: list[tuple[str, str]] = []
    for line in lines:
        if FNAME_RE.match(line):
            break
        if FLINE_RE.match(line):
            instructions.append(processSassLines(line, next(lines), labels))
    return f"Function:{name}\n{_with_labels(instructions, labels)}\n"


def _with_labels(instructions: list[tuple[str, str]], labels: dict[int, int]) -> str:
    text = ""
    for index, (control, instruction) in enumerate(instructions):
        address = index * _INSTRUCTION_BYTES
        if address in labels:
            text += f"LBB{labels[address]}:\n"
        if branch := BRA_RE.match(instruction):
            instruction = f"{branch[1]}LBB{labels[int(branch[2], 16)]};"
        text += f"{control}\t{instruction}\n"
    return text
