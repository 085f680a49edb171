"""What a chip of NVIDIA multiplies matrices with: rows of instruction families, strictly read.

    cores = tensor_cores("cuda:90")
    [family.instruction for family in cores.families]      # ["wgmma.mma_async", "mma.sync"]

The rows stand in mma/<chip>.toml, the preferred family first. A dot is done with the first family
that takes its operands, sides and warps; where none does, every thread multiplies for itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from operator import methodcaller
from typing import TypeVar

from weft.errors import UnknownTargetError, WeftError
from weft.layouts.encodings.checks import is_power_of_two
from weft.targets.files import tables_of_chip
from weft.targets.rows import (
    Sources,
    Tables,
    check_among,
    check_keys,
    parse,
    read_list,
    read_row,
    read_sources,
)

__all__ = ["MmaFamily", "ScaledFamily", "TensorCores", "read_cores", "tensor_cores"]

VERSIONS = {2: "mma.sync", 3: "wgmma.mma_async", 5: "tcgen05.mma"}
OWN_MEMORY = 5
ELEMENTS = ("f8E5M2", "f8E4M3FN", "f16", "bf16", "f32", "f64", "i8")
FORMATS = ("e4m3", "e5m2", "e2m1")

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class MmaFamily:
    """One family of matrix instructions: D of m x n += A of m x k times B of k x n.

    Fields: instruction: its name in PTX.  version: of the family in the encoding of its result.
    m, n: lengths of the sides, the preferred ones first.  n_of_i8: n where operands are i8, if
    they differ.  m_unit, n_unit: what the sides of a tile must be multiples of.
    k_bytes: bytes of a row of A that one instruction reads.  whole_k: whether a tile must be at
    least that deep.  ranks: of the tensors.  warps: counts of warps that can run it.
    operands: element types that it takes; f32 is read as tf32.  widened: of those, the types that
    the machine knows only as f16.  transposable: the types whose tiles may lie either way in
    shared memory.  left_in_registers: whether A may come from registers.
    least_imprecise: fp8 products that it sums in f32 before rounding; a dot that allows fewer
    cannot have it.  m_of_f64, k_of_f64: rows and depths of its instructions for f64, the preferred
    depth first.  memory_columns: of 32 bits, in the memory of their own that a multiprocessor's
    tensor cores have.  source: of the row.
    """

    instruction: str
    version: int
    m: tuple[int, ...]
    n: tuple[int, ...]
    m_unit: int
    n_unit: int
    k_bytes: int
    whole_k: bool
    ranks: tuple[int, ...]
    warps: tuple[int, ...]
    operands: tuple[str, ...]
    widened: tuple[str, ...]
    transposable: tuple[str, ...]
    left_in_registers: bool
    source: str
    n_of_i8: tuple[int, ...] = ()
    least_imprecise: int = 0
    m_of_f64: int = 0
    k_of_f64: tuple[int, ...] = ()
    memory_columns: int = 0


@dataclass(frozen=True, slots=True)
class ScaledFamily:
    """One family of matrix instructions whose operands carry a scale per block along k.

    Fields: instruction, version, warps, source: as of MmaFamily.  formats: of the operands.
    mixed: whether a 4-bit format may meet an 8-bit one.  least_m, least_n: of the result.
    """

    instruction: str
    version: int
    formats: tuple[str, ...]
    mixed: bool
    least_m: int
    least_n: int
    warps: tuple[int, ...]
    source: str


@dataclass(frozen=True, slots=True)
class TensorCores:
    """What a chip multiplies with, the preferred family first."""

    arch: str
    families: tuple[MmaFamily, ...]
    scaled: tuple[ScaledFamily, ...]

    def version(self, number: int) -> MmaFamily:
        """Return the family of a version.

        Raises: UnknownTargetError: the chip has none.
        """
        for family in self.families:
            if family.version == number:
                return family
        raise UnknownTargetError(
            f"{self.arch} has no matrix instructions of version {number}",
            found=number,
            accepted=[str(family.version) for family in self.families],
        )


@cache
def tensor_cores(name: str) -> TensorCores:
    """Return what a chip multiplies with.

    Args: name: as a module tells it, "cuda:90".
    Raises: UnknownTargetError: no such chip of NVIDIA, or none with a file here.
    """
    arch = name.replace("cuda:", "sm_")
    spelled = methodcaller("replace", "sm_", "cuda:")
    return read_cores(tables_of_chip("mma", arch, name, "tensor cores", spelled), arch)


def read_cores(text: str | Tables, arch: str) -> TensorCores:
    """Return what a file says.

    Args: text: TOML, or its tables.  arch: the chip, whose name is the file's.
    Raises: WeftError with the row and what is wrong in it.
    """
    file = f"{arch}.toml"
    data = parse(text, file)
    check_keys(file, "table", data, ("sources", "families"), ("scaled",))
    sources = read_sources(file, data["sources"])
    families = _rows(file, MmaFamily, data["families"], sources)
    scaled = _rows(file, ScaledFamily, data.get("scaled", []), sources)
    for family in families:
        _check_family(file, family)
    for row in scaled:
        _check_scaled(file, row)
    return TensorCores(arch, families, scaled)


def _rows(file: str, cls: type[Row], found: object, sources: Sources) -> tuple[Row, ...]:
    named = ("family", "instruction")
    rows = read_list(f"{file}: families", found)
    return tuple(read_row(file, named, cls, row, sources) for row in rows)


def _check_family(file: str, row: MmaFamily) -> None:
    what = f"{file}: family {row.instruction}"
    _check_version(what, row)
    for key, known in (("operands", ELEMENTS), ("widened", row.operands)):
        _check_all_among(what, key, getattr(row, key), known)
    _check_all_among(what, "transposable", row.transposable, row.operands)
    for key in ("m_unit", "n_unit", "k_bytes"):
        if not is_power_of_two(getattr(row, key)):
            raise WeftError(f"{what}: {key} must be a power of two", found=getattr(row, key))
    if ("f64" in row.operands) != bool(row.k_of_f64 and row.m_of_f64):
        raise WeftError(f"{what}: f64 operands need m_of_f64 and k_of_f64", found=row.k_of_f64)
    if (row.version == OWN_MEMORY) != bool(row.memory_columns):
        raise WeftError(f"{what}: version 5 has memory_columns", found=row.memory_columns)
    for side, unit in ((row.n, row.n_unit), (row.n_of_i8, row.n_unit)):
        for length in side:
            if length % min(unit, 8):
                raise WeftError(f"{what}: n must be multiples of 8", found=length)


def _check_scaled(file: str, row: ScaledFamily) -> None:
    what = f"{file}: family {row.instruction}"
    _check_version(what, row)
    _check_all_among(what, "formats", row.formats, FORMATS)


def _check_version(what: str, row: MmaFamily | ScaledFamily) -> None:
    if row.version not in VERSIONS or not row.instruction.startswith(VERSIONS[row.version]):
        raise WeftError(
            f"{what}: version and instruction do not fit",
            found=row.version,
            accepted=[f"{number} of {name}" for number, name in VERSIONS.items()],
        )
    for count in row.warps:
        if not is_power_of_two(count):
            raise WeftError(f"{what}: warps must be powers of two", found=count)


def _check_all_among(what: str, key: str, found: tuple[str, ...], known: tuple[str, ...]) -> None:
    for name in found:
        check_among(f"{what}: {key} names an unknown {name}", name, known)
