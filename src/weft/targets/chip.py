"""A chip's facts as a frozen dataclass, read from its chip.toml.

    [sources]
    amd = "AMD Instinct MI300 ISA reference guide, LDS and wavefront size"

    [facts]
    threads_per_warp = { value = 64, source = "amd" }

`schema` checks each row; this module checks that the facts agree with each other. `shared_memory`
reads the section of that name.
"""

from __future__ import annotations

import re

from msgspec import Struct
from msgspec.structs import replace

from weft.errors import LayoutError, WeftError
from weft.layouts.encodings.checks import is_power_of_two
from weft.layouts.shared_memory import SharedMemory
from weft.targets.loading import chip_folder
from weft.targets.schema import (
    Tables,
    check_keys,
    field_types,
    parse_toml,
    read_facts,
    read_sources,
)
from weft.targets.shared_memory import read_shared_memory

__all__ = ["Target", "read_chip"]


_DEPENDENT_LAUNCH = 90  # compute capability of programmatic dependent launch
_TENSOR_MEMORY_REDUCTIONS = (103,)  # ptxas 13.1 refuses tcgen05.ld.red for sm_100a and sm_120a
_PTX = re.compile(r"\+ptx(\d+)(\d)")


class Target(Struct, frozen=True):
    """The facts about a chip that the front end, passes, code generation and launches use.

    Attributes:
        backend: "cuda", "hip" or "cpu".
        arch: Compute capability (90) or name of the processor ("gfx942").
        description: Name of the product, for people.
        generation: Generation of the architecture: "cdna3", "hopper".
        threads_per_warp: Lanes of a warp (wavefront).
        max_threads_per_block: Largest block that can be launched.
        lds_bytes: Shared memory that one block can use.
        lds_partition_bytes: Shared memory of one partition; 0 on chips without partitions.
        max_num_ctas: Largest cluster, in blocks; 1 on chips without clusters.
        default_num_warps: `num_warps` of a launch that does not set it.
        default_num_stages: `num_stages` of a launch that does not set it.
        default_dot_input_precision: Precision of a dot of fp32 operands that does not set it.
        allowed_dot_input_precisions: Precisions that such a dot may set.
        supported_fp8_dtypes: Names of the fp8 types that kernels may use, sorted.
        deprecated_fp8_dot_operand_dtypes: fp8 types that a dot converts first, with a warning.
        max_num_imprecise_acc_default: Number of fp8 products that a dot may accumulate imprecisely
            unless it says otherwise; 0 for none.
        tensor_descriptors: Whether hardware copies tiles by descriptor (TMA, TDM).
        tensor_rows: The copies of rows that descriptors support: "gather", "scatter".
        min_dot_size: Smallest m, n, k of a dot.
        min_dot_k_8bit: Smallest k of a dot of 8-bit operands.
        max_kpack: Largest number of dots along k whose operands a thread may read at once.
        in_thread_transpose: Whether a pass transposes loaded tiles in registers.
        block_pingpong: When loops with dots are scheduled for two warps per SIMD by default:
            "always", "async" for those with asynchronous copies, or "never".
        direct_to_lds_bits: Widths, per lane, of loads from global to shared memory that write the
            lanes of a warp contiguously; () where there are none, or lanes may write anywhere.
        realtime_clock: Assembly that reads the clock into operand 0, "" where there is none.
        llvm_cpu: Name of the processor in LLVM.
        llvm_features: Features that LLVM is to enable, "+ptx87".
        buffer_resource_flags: Last word of a buffer resource descriptor, 0 where there are none.
        grid_y_bits: Bits of the register of a block's number along y that hold it; the bits above
            hold the number along z.
        vector_registers: Vector registers of a lane on one SIMD, which its warps share; 0 on chips
            whose assembler is not LLVM.
        vector_register_granularity: A warp gets a multiple of this many.
        max_warps_per_simd: Most warps that a SIMD runs at once.
        simds_per_cu: SIMDs that share `lds_bytes`.
        atomic_adds: Floats that one atomic instruction adds to global memory, with the largest
            count of elements: "f16x2".
        lane_moves: Moves between lanes that only some of AMD's chips have: "row_share",
            "row_xmask", "dpp8", "permlanex16".
        warp_reductions: Element types that one instruction reduces across a warp: "i32".
        banks: Banks and phases of shared memory, None on chips without shared memory.
    """

    backend: str
    arch: int | str
    description: str
    generation: str
    threads_per_warp: int
    max_threads_per_block: int
    lds_bytes: int
    lds_partition_bytes: int
    max_num_ctas: int
    default_num_warps: int
    default_num_stages: int
    default_dot_input_precision: str
    allowed_dot_input_precisions: tuple[str, ...]
    supported_fp8_dtypes: tuple[str, ...]
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...]
    max_num_imprecise_acc_default: int
    tensor_descriptors: bool
    tensor_rows: tuple[str, ...]
    min_dot_size: tuple[int, ...]
    min_dot_k_8bit: int
    max_kpack: int
    in_thread_transpose: bool
    block_pingpong: str
    direct_to_lds_bits: tuple[int, ...]
    realtime_clock: str
    llvm_cpu: str
    llvm_features: str
    buffer_resource_flags: int
    grid_y_bits: int
    vector_registers: int
    vector_register_granularity: int
    max_warps_per_simd: int
    simds_per_cu: int
    atomic_adds: tuple[str, ...]
    lane_moves: tuple[str, ...]
    warp_reductions: tuple[str, ...]
    banks: SharedMemory | None = None

    @property
    def shared_memory(self) -> SharedMemory:
        """Banks and phases of shared memory, for the cost of accesses.

        Raises:
            LayoutError: The chip has no shared memory.
        """
        if self.banks is None:
            raise LayoutError(f"target {self.name} has no shared memory", found=self.name)
        return self.banks

    @property
    def ptx_release(self) -> tuple[int, int]:
        """Release of PTX that LLVM writes for the chip, (0, 0) if it writes none."""
        release = _PTX.search(self.llvm_features)
        return (int(release[1]), int(release[2])) if release else (0, 0)

    def warps_per_simd(self, registers: int) -> int:
        """Compute how many warps with this many vector registers each run on a SIMD at once."""
        granularity = self.vector_register_granularity
        allocated = max(-(-registers // granularity), 1) * granularity
        return min(self.max_warps_per_simd, self.vector_registers // allocated)

    def vector_registers_for(self, warps: int) -> int:
        """Compute the most vector registers of a warp with which this many run on a SIMD."""
        granularity = self.vector_register_granularity
        return self.vector_registers // warps // granularity * granularity

    @property
    def name(self) -> str:
        """Name that Triton writes in a module: "cuda:90", "hip:gfx942", "cpu"."""
        return str(self.arch) if self.backend == self.arch else f"{self.backend}:{self.arch}"

    @property
    def has_mfma(self) -> bool:
        """Whether the matrix instructions are MFMA, whose m and n a kernel may choose."""
        return self.generation.startswith("cdna")

    @property
    def has_dependent_launch(self) -> bool:
        """Whether a grid may start before the previous one of its stream ends."""
        return isinstance(self.arch, int) and self.arch >= _DEPENDENT_LAUNCH

    @property
    def reduces_tensor_memory_loads(self) -> bool:
        """Whether loads from tensor memory also reduce rows (tcgen05.ld.red)."""
        return self.arch in _TENSOR_MEMORY_REDUCTIONS

    @property
    def warp_size(self) -> int:
        """The same as `threads_per_warp`."""
        return self.threads_per_warp

    def __str__(self) -> str:
        return self.name


def read_chip(text: str | Tables, folder: str) -> Target:
    """Read the chip.toml of a chip that is not derived from another.

    Args:
        text: TOML, or its tables.
        folder: The chip's folder.

    Raises:
        WeftError: A row is malformed or contradicts another; the message names it.
    """
    file = f"{folder}/chip.toml"
    tables = parse_toml(text, file)
    check_keys(file, "table", tables, ("sources", "facts"), ("shared_memory",))
    sources = read_sources(file, tables["sources"])
    types = field_types(Target, exclude=("banks",))
    chip = Target(**read_facts(file, tables["facts"], types, sources))
    if "shared_memory" in tables:
        memory = read_shared_memory(
            file, tables["shared_memory"], sources, folder, chip.threads_per_warp
        )
        chip = replace(chip, banks=memory)
    _check(file, folder, chip)
    return chip


def _check(file: str, folder: str, chip: Target) -> None:
    """Check that the facts agree with each other and with the folder's name."""
    if chip_folder(chip.name) != folder:
        raise WeftError(
            f"{file}: backend and arch do not match the folder's name",
            found=folder,
            accepted=[chip_folder(chip.name)],
        )
    for key in ("threads_per_warp", "max_threads_per_block", "max_num_ctas", "default_num_warps"):
        if not is_power_of_two(getattr(chip, key)):
            raise LayoutError(f"{file}: {key} must be a power of two", found=getattr(chip, key))
    if chip.default_num_warps * chip.threads_per_warp > chip.max_threads_per_block:
        raise WeftError(
            f"{file}: the default launch exceeds max_threads_per_block",
            found=chip.default_num_warps * chip.threads_per_warp,
            accepted=[f"at most {chip.max_threads_per_block}"],
        )
    if chip.default_dot_input_precision not in chip.allowed_dot_input_precisions:
        raise WeftError(
            f"{file}: default_dot_input_precision must be an allowed one",
            found=chip.default_dot_input_precision,
            accepted=chip.allowed_dot_input_precisions,
        )
    for name in chip.deprecated_fp8_dot_operand_dtypes:
        if name not in chip.supported_fp8_dtypes:
            raise WeftError(
                f"{file}: a deprecated dtype must be a supported one",
                found=name,
                accepted=chip.supported_fp8_dtypes,
            )
    if len(chip.min_dot_size) != 3:
        raise WeftError(f"{file}: min_dot_size must be m, n, k", found=list(chip.min_dot_size))
