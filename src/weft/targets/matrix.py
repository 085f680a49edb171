"""What a chip of AMD multiplies matrices with: rows of instructions, strictly read.

    [row.shape for row in matrix_units("gfx942").of_types("f16", "f16")]
    # ["32x32x8", "16x16x16", "64x4x64", "4x64x64"]

The rows stand in instructions/<chip>.toml. Sides are tried in the order of the rows: for f16 on
gfx942 32x32 comes first, 16x16 next, then 64x4 and 4x64. Rows of equal sides differ in k alone, the
preferred one first. Every row proves itself: of 32x32x8 with 4 elements in each of 64 lanes,
32 · 8 = 64 · 4, else the file is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from weft.errors import WeftError
from weft.layouts.encodings.checks import is_power_of_two
from weft.targets.files import tables_of_chip
from weft.targets.matrix_calls import MatrixCall, SmallFloat, read_calls, read_formats
from weft.targets.registry import target
from weft.targets.rows import (
    Sources,
    Tables,
    check_among,
    check_keys,
    kinds_of,
    parse,
    read_facts,
    read_list,
    read_row,
    read_sources,
)

__all__ = [
    "FAMILIES",
    "MatrixInstruction",
    "MatrixUnits",
    "VectorDot",
    "matrix_units",
    "read_units",
]

FAMILIES = {"mfma": 64, "wmma": 32}
RULES = (
    "scaled_mfma",
    "scaled_wmma",
    "decompose_scaled_upcast",
    "decompose_scaled",
    "mfma",
    "scaled_to_mfma",
    "wmma",
)

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class MatrixInstruction:
    """One matrix instruction: D of m x n from A of m x k and B of k x n.

    Fields: name: in LLVM, behind "llvm.amdgcn.".  a, b, d: element types; "xf32" is f32 read at
    lower precision, "f8f6f4" any small float.  elements: of the operand with fewer rows or
    columns, side by side in one lane.  blocks: products that one instruction does at once, whose
    k are counted together.  copies: lanes that hold the same element.  scaled: whether it takes
    scales.  k_of_one_block: whether k counts a single block after all, as Triton 3.7.1 has it.
    selectable: whether a dot may be done with it; the others would lose bits of the result.
    """

    name: str
    m: int
    n: int
    k: int
    a: str
    b: str
    d: str
    elements: int
    call: str
    source: str
    operand: str = ""
    blocks: int = 1
    copies: int = 1
    scaled: bool = False
    k_of_one_block: bool = False
    selectable: bool = True

    @property
    def shape(self) -> str:
        """Return its sides as people write them: "32x32x8"."""
        return f"{self.m}x{self.n}x{self.k}"

    @property
    def label(self) -> str:
        """Return its name, with the sides where the name has those of one block alone."""
        sides = f"{self.m}x{self.n}"
        return self.name if sides in self.name else f"{self.name} as {sides}"


@dataclass(frozen=True, slots=True)
class VectorDot:
    """An instruction of every lane for itself: d += the sum of k products of a and a."""

    name: str
    a: str
    d: str
    k: int
    source: str


@dataclass(frozen=True, slots=True)
class MatrixUnits:
    """What a chip multiplies with.

    Fields: arch: "gfx942".  family: "mfma" or "wmma".  version: of the family in the encoding.
    dot_rules: the rules that rewrite its dots, those that are tried first in front.
    byte_scales: whether conversions with scale take the scale as its byte, not as a bf16.
    accumulators_optional: whether results may be in any vector register, where others have
    registers of their own for them.
    scales_through_lds: whether scales that a loop converts with are kept in shared memory.
    matrix, vector: the instructions.  calls: how they are called, by name.
    formats: the small floats that scaled instructions take.
    """

    arch: str
    family: str
    version: int
    dot_rules: tuple[str, ...]
    byte_scales: bool
    accumulators_optional: bool
    scales_through_lds: bool
    matrix: tuple[MatrixInstruction, ...]
    vector: tuple[VectorDot, ...]
    calls: Mapping[str, MatrixCall]
    formats: tuple[SmallFloat, ...]

    def of_types(self, a: str, b: str) -> tuple[MatrixInstruction, ...]:
        """Return the instructions for two operand types, in order of preference."""
        return tuple(row for row in self.matrix if (row.a, row.b) == (a, b) and row.selectable)

    @property
    def lanes(self) -> int:
        """Return the lanes of a wave that its instructions are for."""
        return FAMILIES[self.family]

    def sides(self) -> tuple[int, ...]:
        """Return the lengths of side that square tiles have, and of strips the short one."""
        return tuple(sorted({min(row.m, row.n) for row in self.matrix}))

    def takes(self, a: str) -> bool:
        """Tell whether any instruction multiplies elements of a type."""
        return any(a in (row.a, row.b) for row in self.matrix)


@cache
def matrix_units(arch: str) -> MatrixUnits:
    """Return what a chip multiplies with.

    Args: arch: "gfx942".
    Raises: UnknownTargetError: no such chip of AMD, or none with a file here.
    """
    tables = tables_of_chip("instructions", arch, arch, "matrix instructions")
    return read_units(tables, arch, target(arch).threads_per_warp)


def read_units(text: str | Tables, arch: str, lanes: int) -> MatrixUnits:
    """Return what a file says.

    Args: text: TOML, or its tables.  arch: the chip, as the file is named.  lanes: of its waves.
    Raises: WeftError with the row and what is wrong in it.
    """
    file = f"{arch}.toml"
    data = parse(text, file)
    check_keys(file, "table", data, ("sources", "facts", "calls", "rows"))
    sources = read_sources(file, data["sources"])
    facts = read_facts(file, data["facts"], _FACTS, sources)
    rows = check_keys(file, "list of rows", data["rows"], ("matrix", "vector", "formats"))
    units = MatrixUnits(
        arch=arch,
        matrix=_rows(file, MatrixInstruction, rows["matrix"], sources),
        vector=_rows(file, VectorDot, rows["vector"], sources),
        calls=read_calls(file, data["calls"], sources),
        formats=read_formats(file, rows["formats"], sources),
        **facts,
    )
    _check_facts(file, units, lanes)
    for row in units.matrix:
        _check_instruction(file, row, lanes)
        check_among(f"{file}: row {row.name}: unknown call", row.call, units.calls)
    return units


_FACTS = kinds_of(MatrixUnits, leave_out=("arch", "matrix", "vector", "calls", "formats"))


def _rows(file: str, cls: type[Row], found: object, sources: Sources) -> tuple[Row, ...]:
    rows = read_list(f"{file}: rows", found)
    return tuple(read_row(file, ("row", "name"), cls, row, sources) for row in rows)


def _check_facts(file: str, units: MatrixUnits, lanes: int) -> None:
    if FAMILIES.get(units.family) != lanes:
        raise WeftError(
            f"{file}: no family of waves of {lanes} lanes",
            found=units.family,
            accepted=[name for name, width in FAMILIES.items() if width == lanes],
        )
    for rule in units.dot_rules:
        check_among(f"{file}: unknown rule {rule}", rule, RULES)


def _check_instruction(file: str, row: MatrixInstruction, lanes: int) -> None:
    """Check that lanes and their elements are what the sides make them."""
    what = f"{file}: row {row.name}"
    for key in ("m", "n", "k", "elements", "blocks", "copies"):
        if not is_power_of_two(getattr(row, key)):
            raise WeftError(f"{what}: {key} must be a power of two", found=getattr(row, key))
    deep = row.k * (row.blocks if row.k_of_one_block else 1)
    held = lanes * row.elements // row.copies
    if min(row.m, row.n) * deep != held:
        raise WeftError(
            f"{what}: {min(row.m, row.n)} x {deep} elements are not what {lanes} lanes with "
            f"{row.elements} each hold",
            found=min(row.m, row.n) * deep,
            accepted=[str(held)],
        )
    if row.m * row.n % lanes:
        raise WeftError(
            f"{what}: {row.m} x {row.n} results do not cover {lanes} lanes evenly",
            found=row.m * row.n,
            accepted=[f"a multiple of {lanes}"],
        )
