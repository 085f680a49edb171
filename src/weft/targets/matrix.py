"""What a chip of AMD multiplies matrices with: rows of instructions, strictly read.

    matrix_units("gfx942").fitting("f16", "f16", m=64, n=64)      # 32x32x8, f16 → f32

The rows stand in instructions/<chip>.toml. Sides are tried in the order of the rows: for f16 on
gfx942 32x32 comes first, 16x16 next, then 64x4 and 4x64. Rows of equal sides differ in k alone, the
preferred one first. Every row proves itself: of 32x32x8 with 4 elements in each of 64 lanes,
32 · 8 = 64 · 4, else the file is refused.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from importlib import resources
from typing import Any, TypeVar

from weft.errors import UnknownTargetError, WeftError, did_you_mean
from weft.layouts.encodings.checks import is_power_of_two
from weft.targets.registry import target

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
    source: str
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
    scales_through_lds: whether scales that a loop converts with are kept in shared memory.
    matrix, vector: the instructions.
    """

    arch: str
    family: str
    version: int
    dot_rules: tuple[str, ...]
    byte_scales: bool
    scales_through_lds: bool
    matrix: tuple[MatrixInstruction, ...]
    vector: tuple[VectorDot, ...]

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
    folder = resources.files("weft.targets").joinpath("instructions")
    known = sorted(file.name.removesuffix(".toml") for file in folder.iterdir())
    if arch not in known:
        raise UnknownTargetError(
            f"no matrix instructions are known of {arch or 'a chip without a name'}",
            found=arch,
            accepted=known,
            hint=did_you_mean(arch, known),
        )
    file = folder.joinpath(f"{arch}.toml")
    return read_units(file.read_text(encoding="utf-8"), arch, target(arch).threads_per_warp)


def read_units(text: str, arch: str, lanes: int) -> MatrixUnits:
    """Return what a file says.

    Args: text: TOML.  arch: the chip, whose name is the file's.  lanes: of its waves.
    Raises: WeftError with the row and what is wrong in it.
    """
    file = f"{arch}.toml"
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise WeftError(f"{file}: no TOML: {problem}") from problem
    _same(file, "table", data, ("sources", "facts", "rows"))
    _same(file, "list of rows", data["rows"], ("matrix", "vector"))
    sources = data["sources"]
    facts = data["facts"]
    _same(file, "fact", facts, tuple(_FACTS))
    values = {name: _fact(file, name, facts[name], sources) for name in _FACTS}
    units = MatrixUnits(
        arch,
        values["family"],
        values["version"],
        tuple(values["dot_rules"]),
        values["byte_scales"],
        values["scales_through_lds"],
        _rows(file, MatrixInstruction, data["rows"]["matrix"], sources),
        _rows(file, VectorDot, data["rows"]["vector"], sources),
    )
    _check_facts(file, units, lanes)
    for row in units.matrix:
        _check_instruction(file, row, lanes)
    return units


def _same(
    file: str,
    kind: str,
    found: Mapping[str, Any],
    known: tuple[str, ...],
    optional: tuple[str, ...] = (),
) -> None:
    for key in found:
        if key not in known + optional:
            raise WeftError(
                f"{file}: unknown {kind} {key}",
                found=key,
                accepted=known + optional,
                hint=did_you_mean(key, known + optional),
            )
    for key in known:
        if key not in found:
            raise WeftError(f"{file}: {kind} {key} is missing", accepted=known)


def _sourced(file: str, what: str, source: object, sources: Mapping[str, str]) -> None:
    if source not in sources:
        raise WeftError(
            f"{file}: {what} has a source that is not listed", found=source, accepted=sources
        )


def _fact(file: str, name: str, row: Any, sources: Mapping[str, str]) -> Any:
    if not isinstance(row, dict) or set(row) != {"value", "source"}:
        raise WeftError(f"{file}: {name} must be {{ value = …, source = … }}", found=row)
    _sourced(file, name, row["source"], sources)
    wanted, told = _FACTS[name]
    if type(row["value"]) is not wanted:
        raise WeftError(f"{file}: {name} must be {told}", found=repr(row["value"]))
    return row["value"]


_FACTS = {
    "family": (str, "text"),
    "version": (int, "an integer"),
    "dot_rules": (list, "a list of rules"),
    "byte_scales": (bool, "true or false"),
    "scales_through_lds": (bool, "true or false"),
}
_TOLD = {"str": (str, "text"), "int": (int, "an integer"), "bool": (bool, "true or false")}


def _rows(
    file: str, cls: type[Row], found: list[Mapping[str, Any]], sources: Mapping[str, str]
) -> tuple[Row, ...]:
    """Return rows as objects of a class, every value of its field's type."""
    known = {field.name: field for field in fields(cls)}  # pyright: ignore[reportArgumentType]
    needed = tuple(name for name, field in known.items() if field.default is MISSING)
    optional = tuple(name for name in known if name not in needed)
    made = []
    for row in found:
        what = f"row {row.get('name', '?')}"
        _same(file, f"{what}, key", row, needed, optional)
        for key, value in row.items():
            wanted, told = _TOLD[str(known[key].type)]
            if type(value) is not wanted:
                raise WeftError(f"{file}: {what}: {key} must be {told}", found=repr(value))
        _sourced(file, what, row["source"], sources)
        made.append(cls(**row))
    return tuple(made)


def _check_facts(file: str, units: MatrixUnits, lanes: int) -> None:
    if FAMILIES.get(units.family) != lanes:
        raise WeftError(
            f"{file}: no family of waves of {lanes} lanes",
            found=units.family,
            accepted=[name for name, width in FAMILIES.items() if width == lanes],
        )
    for rule in units.dot_rules:
        if rule not in RULES:
            raise WeftError(
                f"{file}: unknown rule {rule}",
                found=rule,
                accepted=RULES,
                hint=did_you_mean(rule, RULES),
            )


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
