"""Read matrix_units.toml: the MFMA or WMMA instructions of an AMD chip.

    [row.shape for row in matrix_units("gfx942").of_types("f16", "f16")]
    # ["32x32x8", "16x16x16", "64x4x64", "4x64x64"]

Row order is preference: tile shapes m x n are tried in the order of the rows, and of rows with
equal m and n the first whose k fits is used. The reader checks each row against itself: with 4
elements in each of 64 lanes, the operand of 32x32x8 must have 32 · 8 = 64 · 4 elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from msgspec import Struct

from weft.errors import WeftError
from weft.layouts.encodings.checks import is_power_of_two
from weft.targets.loading import load_kind
from weft.targets.matrix_intrinsics import MatrixCall, SmallFloat, read_calls, read_formats
from weft.targets.registry import target
from weft.targets.schema import (
    Tables,
    check_choice,
    check_keys,
    field_types,
    parse_toml,
    read_facts,
    read_rows,
    read_sources,
)

__all__ = [
    "FAMILIES",
    "MatrixInstruction",
    "MatrixUnits",
    "VectorDot",
    "matrix_units",
    "read_matrix_units",
]

FAMILIES = {"mfma": 64, "wmma": 32}
"""Instruction family → lanes of the wavefront that executes it."""
RULES = (
    "scaled_mfma",
    "scaled_wmma",
    "decompose_scaled_upcast",
    "decompose_scaled",
    "mfma",
    "scaled_to_mfma",
    "wmma",
)
"""Rewrite rules of `tritonamdgpu-accelerate-matmul` that a chip may list."""


class MatrixInstruction(Struct, frozen=True):
    """One matrix instruction: D of m x n += A of m x k times B of k x n.

    Attributes:
        name: Name of the LLVM intrinsic, without "llvm.amdgcn.".
        m: Rows of D and A.
        n: Columns of D and B.
        k: Columns of A and rows of B, of all blocks together.
        a: Element type of A; "xf32" is f32 read at lower precision, "f8f6f4" any small float.
        b: Element type of B.
        d: Element type of D.
        elements: Contiguous elements in one lane, of the operand with fewer rows or columns.
        call: Name of the row of [calls] with the intrinsic's arguments.
        source: Source of the row.
        operand: LLVM type of the registers that hold A or B in a lane.
        blocks: Independent products that one instruction computes.
        copies: Lanes that hold the same element.
        scaled: Whether the operands have block scales.
        k_of_one_block: Whether k counts one block only, as Triton 3.7.1 has it for some rows.
        selectable: Whether a dot may be lowered to it; the others would lose bits of the result.
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
        """Its shape m x n x k in text: "32x32x8"."""
        return f"{self.m}x{self.n}x{self.k}"

    @property
    def label(self) -> str:
        """Its name, followed by m x n if the name has the shape of one block."""
        sides = f"{self.m}x{self.n}"
        return self.name if sides in self.name else f"{self.name} as {sides}"


class VectorDot(Struct, frozen=True):
    """A dot instruction of the vector ALU: each lane adds the sum of k products to its d.

    Attributes:
        name: Name of the LLVM intrinsic, without "llvm.amdgcn.".
        a: Element type of both operands.
        d: Element type of the accumulator.
        k: Products that are summed.
        source: Source of the row.
    """

    name: str
    a: str
    d: str
    k: int
    source: str


class MatrixUnits(Struct, frozen=True):
    """All matrix instructions of a chip.

    Attributes:
        arch: The chip, "gfx942".
        family: "mfma" or "wmma".
        version: Version of the family in the layout encoding.
        dot_rules: Rules that rewrite dots, tried in order; each is one of RULES.
        byte_scales: Whether conversions with a scale take it as an e8m0 byte, not as a bf16.
        accumulators_optional: Whether accumulators may be in any vector register; on other chips
            they must be in AGPRs.
        scales_through_lds: Whether scales of a loop's conversions are kept in shared memory.
        matrix: The matrix instructions, preferred ones first.
        vector: Dot instructions of the vector ALU.
        calls: Name → how an intrinsic is called.
        formats: Small floats that scaled instructions accept.
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
        """List the selectable instructions for two operand types, preferred ones first."""
        return tuple(row for row in self.matrix if (row.a, row.b) == (a, b) and row.selectable)

    @property
    def lanes(self) -> int:
        """Lanes of the wavefront that executes the instructions."""
        return FAMILIES[self.family]

    def sides(self) -> tuple[int, ...]:
        """List the smaller of m and n of all instructions, sorted: (4, 16, 32)."""
        return tuple(sorted({min(row.m, row.n) for row in self.matrix}))

    def takes(self, a: str) -> bool:
        """Check whether any instruction has an operand of an element type."""
        return any(a in (row.a, row.b) for row in self.matrix)


@cache
def matrix_units(arch: str) -> MatrixUnits:
    """Look up the matrix instructions of a chip such as "gfx942".

    Raises:
        UnknownTargetError: There is no such AMD chip, or it has no matrix_units.toml.
    """
    tables = load_kind("matrix_units", arch, "matrix instructions")
    return read_matrix_units(tables, arch, target(arch).threads_per_warp)


def read_matrix_units(text: str | Tables, folder: str, lanes: int) -> MatrixUnits:
    """Read a file.

    Args:
        text: TOML, or its tables.
        folder: The chip's folder.
        lanes: Lanes of the chip's wavefronts.

    Raises:
        WeftError: A row is malformed or contradicts itself; the message names it.
    """
    file = f"{folder}/matrix_units.toml"
    tables = check_keys(
        file, "table", parse_toml(text, file), ("sources", "facts", "calls", "rows")
    )
    sources = read_sources(file, tables["sources"])
    facts = read_facts(file, tables["facts"], _FACTS, sources)
    lists = check_keys(file, "list", tables["rows"], ("matrix", "vector", "formats"))
    key = ("row", "name")
    units = MatrixUnits(
        arch=folder,
        matrix=read_rows(file, "matrix", key, MatrixInstruction, lists["matrix"], sources),
        vector=read_rows(file, "vector", key, VectorDot, lists["vector"], sources),
        calls=read_calls(file, tables["calls"], sources),
        formats=read_formats(file, lists["formats"], sources),
        **facts,
    )
    _check_facts(file, units, lanes)
    for row in units.matrix:
        _check_instruction(file, row, lanes)
        check_choice(f"{file}: row {row.name}: unknown call {row.call}", row.call, units.calls)
    return units


_FACTS = field_types(MatrixUnits, exclude=("arch", "matrix", "vector", "calls", "formats"))


def _check_facts(file: str, units: MatrixUnits, lanes: int) -> None:
    if FAMILIES.get(units.family) != lanes:
        raise WeftError(
            f"{file}: no instruction family for wavefronts of {lanes} lanes",
            found=units.family,
            accepted=[name for name, width in FAMILIES.items() if width == lanes],
        )
    for rule in units.dot_rules:
        check_choice(f"{file}: unknown rule {rule}", rule, RULES)


def _check_instruction(file: str, row: MatrixInstruction, lanes: int) -> None:
    """Check that the shape agrees with the lanes and their elements."""
    where = f"{file}: row {row.name}"
    for key in ("m", "n", "k", "elements", "blocks", "copies"):
        if not is_power_of_two(getattr(row, key)):
            raise WeftError(f"{where}: {key} must be a power of two", found=getattr(row, key))
    # The operand with fewer rows or columns has min(m, n) x depth elements; lanes hold each once,
    # or in `copies` lanes.
    depth = row.k * (row.blocks if row.k_of_one_block else 1)
    capacity = lanes * row.elements // row.copies
    if min(row.m, row.n) * depth != capacity:
        raise WeftError(
            f"{where}: {min(row.m, row.n)} x {depth} elements do not fill {lanes} lanes of "
            f"{row.elements} elements",
            found=min(row.m, row.n) * depth,
            accepted=[str(capacity)],
        )
    if row.m * row.n % lanes:
        raise WeftError(
            f"{where}: {row.m} x {row.n} results do not cover {lanes} lanes evenly",
            found=row.m * row.n,
            accepted=[f"a multiple of {lanes}"],
        )
