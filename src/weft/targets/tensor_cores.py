"""Read tensor_cores.toml: the matrix instruction families of an NVIDIA chip.

    cores = tensor_cores("cuda:90")
    [family.instruction for family in cores.families]      # ["wgmma.mma_async", "mma.sync"]

Order is preference: a dot is lowered to the first family that supports its operand types, shape and
number of warps, and to FMA instructions if none does.
"""

from __future__ import annotations

from functools import cache

from msgspec import Struct

from weft.errors import UnknownTargetError, WeftError
from weft.layouts.encodings.checks import is_power_of_two
from weft.targets.loading import chip_folder, load_kind
from weft.targets.schema import (
    Tables,
    check_choice,
    check_keys,
    parse_toml,
    read_rows,
    read_sources,
)

__all__ = ["MmaFamily", "ScaledFamily", "TensorCores", "read_tensor_cores", "tensor_cores"]

VERSIONS = {2: "mma.sync", 3: "wgmma.mma_async", 5: "tcgen05.mma"}
"""Major version in the layout encoding → instruction in PTX."""
TENSOR_MEMORY_VERSION = 5
"""The version whose accumulators are in tensor memory."""
ELEMENTS = ("f8E5M2", "f8E4M3FN", "f16", "bf16", "f32", "f64", "i8")
FORMATS = ("e4m3", "e5m2", "e2m1")


class MmaFamily(Struct, frozen=True):
    """One family of matrix instructions: D of m x n += A of m x k times B of k x n.

    Attributes:
        instruction: Name in PTX, "wgmma.mma_async".
        version: Major version in the layout encoding of the result, a key of VERSIONS.
        m: Rows of D that one instruction computes, preferred values first.
        n: Columns of D that one instruction computes, preferred values first.
        m_unit: A tile's m must be a multiple of it.
        n_unit: A tile's n must be a multiple of it.
        k_bytes: Bytes of a row of A that one instruction reads.
        whole_k: Whether a tile's k must be at least `k_bytes`.
        ranks: Ranks of the tensors that it supports.
        warps: Numbers of warps that can execute it.
        operands: Element types of A and B; f32 is read as tf32.
        widened: Those operand types that must be converted to f16 first.
        transposable: Element types whose tiles may be in shared memory in either order.
        left_in_registers: Whether A may be in registers.
        source: Source of the row.
        n_of_i8: As `n` for i8 operands, () if it is the same.
        least_imprecise: Number of fp8 products that it accumulates before rounding to f32; a dot
            with a smaller `max_num_imprecise_acc` cannot use it.
        m_of_f64: Rows of the instruction for f64 operands, 0 if it has none.
        k_of_f64: Values of k of the instruction for f64 operands, preferred values first.
        memory_columns: Columns of 32 bits in the tensor memory of a multiprocessor, 0 if the
            family does not use tensor memory.
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


class ScaledFamily(Struct, frozen=True):
    """One family of matrix instructions whose operands have a scale per block along k.

    Attributes:
        instruction: Name in PTX, "tcgen05.mma.block_scale".
        version: As of MmaFamily.
        formats: Formats of the operands, as tt.dot_scaled writes them.
        mixed: Whether one operand may be fp4 and the other fp8.
        least_m: Smallest m of the result.
        least_n: Smallest n of the result.
        warps: As of MmaFamily.
        source: Source of the row.
    """

    instruction: str
    version: int
    formats: tuple[str, ...]
    mixed: bool
    least_m: int
    least_n: int
    warps: tuple[int, ...]
    source: str


class TensorCores(Struct, frozen=True):
    """All matrix instruction families of a chip.

    Attributes:
        arch: The chip, "sm_90".
        families: The families, preferred ones first.
        scaled: Families with block scales, preferred ones first.
    """

    arch: str
    families: tuple[MmaFamily, ...]
    scaled: tuple[ScaledFamily, ...]

    def version(self, number: int) -> MmaFamily:
        """Find the family of a major version.

        Raises:
            UnknownTargetError: The chip has none.
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
    """Look up the matrix instruction families of a chip.

    Args:
        name: Name of the target, "cuda:90".

    Raises:
        UnknownTargetError: There is no such NVIDIA chip, or it has no tensor_cores.toml.
    """
    return read_tensor_cores(load_kind("tensor_cores", name, "tensor cores"), chip_folder(name))


def read_tensor_cores(text: str | Tables, folder: str) -> TensorCores:
    """Read a file.

    Args:
        text: TOML, or its tables.
        folder: The chip's folder.

    Raises:
        WeftError: A row is malformed or contradicts itself; the message names it.
    """
    file = f"{folder}/tensor_cores.toml"
    tables = check_keys(file, "table", parse_toml(text, file), ("sources", "families"), ("scaled",))
    sources = read_sources(file, tables["sources"])
    key = ("family", "instruction")
    families = read_rows(file, "families", key, MmaFamily, tables["families"], sources)
    scaled = read_rows(file, "scaled", key, ScaledFamily, tables.get("scaled", []), sources)
    for family in families:
        _check_family(f"{file}: family {family.instruction}", family)
    for family in scaled:
        _check_scaled(f"{file}: family {family.instruction}", family)
    return TensorCores(folder, families, scaled)


def _check_family(where: str, row: MmaFamily) -> None:
    _check_version(where, row)
    _check_choices(where, "operands", row.operands, ELEMENTS)
    _check_choices(where, "widened", row.widened, row.operands)
    _check_choices(where, "transposable", row.transposable, row.operands)
    for key in ("m_unit", "n_unit", "k_bytes"):
        if not is_power_of_two(getattr(row, key)):
            raise WeftError(f"{where}: {key} must be a power of two", found=getattr(row, key))
    if ("f64" in row.operands) != bool(row.k_of_f64 and row.m_of_f64):
        raise WeftError(f"{where}: f64 operands need m_of_f64 and k_of_f64", found=row.k_of_f64)
    if (row.version == TENSOR_MEMORY_VERSION) != bool(row.memory_columns):
        raise WeftError(
            f"{where}: version {TENSOR_MEMORY_VERSION}, and no other, has memory_columns",
            found=row.memory_columns,
        )
    for n in (*row.n, *row.n_of_i8):
        if n % min(row.n_unit, 8):
            raise WeftError(f"{where}: n must be multiples of 8", found=n)


def _check_scaled(where: str, row: ScaledFamily) -> None:
    _check_version(where, row)
    _check_choices(where, "formats", row.formats, FORMATS)


def _check_version(where: str, row: MmaFamily | ScaledFamily) -> None:
    if row.version not in VERSIONS or not row.instruction.startswith(VERSIONS[row.version]):
        raise WeftError(
            f"{where}: version and instruction do not match",
            found=row.version,
            accepted=[f"{number} of {name}" for number, name in VERSIONS.items()],
        )
    for count in row.warps:
        if not is_power_of_two(count):
            raise WeftError(f"{where}: warps must be powers of two", found=count)


def _check_choices(where: str, key: str, names: tuple[str, ...], accepted: tuple[str, ...]) -> None:
    for name in names:
        check_choice(f"{where}: {key} has an unknown item {name}", name, accepted)
