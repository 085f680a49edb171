"""Static statistics of machine code: registers, spills and instruction counts.

figures_of(ptx, shared, "sm_90a")      Figures(registers=32, spilled=0, …, counts={"bar.sync": 3})
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from weft.codegen.backend.ptxas import Ptxas
from weft.codegen.llvm.module import LlvmModule

_ACCESS = re.compile(r"\b(ld|st)\.(?:volatile\.|relaxed\.|\w+\.)*?(global|shared)\b(\S*)")
_VECTOR = re.compile(r"\.v(\d)\b")
_ELEMENT = re.compile(r"\.[bsuf](\d+)\b")
_OTHERS = {
    "ldmatrix": re.compile(r"\bldmatrix\."),
    "stmatrix": re.compile(r"\bstmatrix\."),
    "mma": re.compile(r"\bmma\.sync\."),
    "wgmma": re.compile(r"\bwgmma\.mma_async\."),
    "bar.sync": re.compile(r"\b(?:bar\.sync|barrier\.sync|barrier\.cta\.sync)\b"),
    "cp.async": re.compile(r"\bcp\.async\.(?:c[ag]|bulk)\."),
    "shfl": re.compile(r"\bshfl\.sync\."),
    "atom": re.compile(r"\b(?:atom|red)\."),
}
_LABEL = re.compile(r"^\$L__BB\w+:.*$", re.MULTILINE)
_SASS_BYTES = 16  # of one instruction, since sm_70


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of one kernel.

    spilled: bytes of a thread's registers that are stored or loaded again.  shared: bytes of a
    block.  instructions: of the chip's own code, loops as they stand in PTX: ptxas writes small
    ones out four times, and the smaller code would look the larger one.  counts: of PTX's, by kind.
    """

    registers: int
    spilled: int
    shared: int
    instructions: int
    counts: Mapping[str, int] = field(repr=False)


def figures_of(assembler: Ptxas, module: LlvmModule, ptx: str, shared: int) -> Figures:
    """Return the figures of a kernel's PTX.

    Args: module: names the kernel and the chip.  shared: bytes of a block.
    """
    cubin = assembler.assemble(module, ptx.encode())
    rolled = _LABEL.sub(r'\g<0>\n.pragma "nounroll";', ptx)
    counted = cubin if rolled == ptx else assembler.assemble(module, rolled.encode())
    return Figures(
        cubin.registers,
        cubin.spilled,
        shared,
        _text_bytes(counted.image) // _SASS_BYTES,
        counts_of(ptx),
    )


def counts_of(ptx: str) -> Counter[str]:
    """Count the instructions of PTX by kind; accesses by bytes of a thread."""
    counts: Counter[str] = Counter()
    for line in ptx.splitlines():
        code = line.partition("//")[0]
        if access := _ACCESS.search(code):
            element = _ELEMENT.search(access[3])
            vector = _VECTOR.search(access[3])
            width = int(element[1]) // 8 * (int(vector[1]) if vector else 1) if element else 0
            counts[f"{access[1]}.{access[2]} {width}"] += 1
        for kind, pattern in _OTHERS.items():
            counts[kind] += bool(pattern.search(code))
    return +counts


def _text_bytes(image: bytes) -> int:
    """Return the bytes of the sections of an ELF file that hold kernels."""
    return sum(size for name, size in _sections(image) if name.startswith(b".text."))


def _sections(image: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield the name and the bytes of each section of a 64-bit ELF file."""
    (start,) = struct.unpack_from("<Q", image, 0x28)
    size, count, names = struct.unpack_from("<HHH", image, 0x3A)
    heads = [struct.unpack_from("<IIQQQQ", image, start + n * size) for n in range(count)]
    strings = heads[names][4]
    for head in heads:
        at = strings + head[0]
        yield image[at : image.index(b"\0", at)], head[5]
