"""A chip's facts as a frozen dataclass, and the reading of the files they stand in.

A chip is one file in chips/; every row names its source:

    [sources]
    amd = "AMD Instinct MI300 ISA reference guide, LDS and wavefront size"

    [facts]
    threads_per_warp = { value = 64, source = "amd" }

The rows are read strictly, by `rows`; what they say about each other is checked here. What a chip
has tables of is read by a module of its own, here `shared_memory`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from weft.errors import LayoutError, WeftError
from weft.layouts.encodings.checks import is_power_of_two
from weft.layouts.phases import SharedMemory
from weft.targets.rows import Tables, check_keys, kinds_of, parse, read_facts, read_sources
from weft.targets.shared_memory import read_shared_memory

__all__ = ["Target", "read"]


_PTX = re.compile(r"\+ptx(\d+)(\d)")


@dataclass(frozen=True, slots=True)
class Target:
    """Hold what passes, front end and runtime must know of a chip.

    Fields: backend: "cuda", "hip" or "cpu".  arch: compute capability (90) or name ("gfx942").
    generation: of the family, "cdna3" or "hopper".  threads_per_warp.  max_threads_per_block.
    lds_bytes: shared memory that one block can have.
    max_num_ctas: blocks of a cluster, 1 where there are no clusters.
    default_num_warps, default_num_stages: of a launch that does not say.
    default_dot_input_precision, allowed_dot_input_precisions: of fp32 operands of a dot that
    does not say, and that does.
    supported_fp8_dtypes: names of the 8-bit floats a value may have, in order of the alphabet.
    deprecated_fp8_dot_operand_dtypes: those that a dot takes only by a slow way.
    max_num_imprecise_acc_default: bound on fp8 products summed imprecisely, 0 for none.
    tensor_descriptors: whether tiles are copied by descriptor in hardware (TMA, TDM).
    tensor_rows: whether that copies rows by number, too: "gather", "scatter" or both.
    min_dot_size: least m, n, k of a dot.  min_dot_k_8bit: least k of operands of 8 bits.
    max_kpack: most dots whose operands along k a thread may read at once.
    in_thread_transpose: whether tiles loaded the wrong way round are turned in registers.
    direct_to_lds_bits: what one lane may copy to shared memory past the registers where the lanes
    of a warp write one behind the other; () where there is no such copy, or lanes write anywhere.
    realtime_clock: instructions that read the clock into operand 0, "" where there are none.
    llvm_cpu, llvm_features: what LLVM calls the processor, and what it is to be allowed of it.
    buffer_resource_flags: the last word of a buffer resource, 0 where there are none.
    grid_y_bits: of a block's number along y; what stands above them in its register is the one
    along z.
    atomic_adds: floats that one instruction adds to global memory, and how many at most: "f16x2".
    lane_moves: moves between lanes that not all of AMD's chips have: "row_share", "row_xmask",
    "dpp8", "permlanex16".
    warp_reductions: what one instruction combines among the lanes of a warp: "i32".
    banks: its shared memory, None where it has none.
    """

    backend: str
    arch: int | str
    description: str
    generation: str
    threads_per_warp: int
    max_threads_per_block: int
    lds_bytes: int
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
    direct_to_lds_bits: tuple[int, ...]
    realtime_clock: str
    llvm_cpu: str
    llvm_features: str
    buffer_resource_flags: int
    grid_y_bits: int
    atomic_adds: tuple[str, ...]
    lane_moves: tuple[str, ...]
    warp_reductions: tuple[str, ...]
    banks: SharedMemory | None = None

    @property
    def shared_memory(self) -> SharedMemory:
        """Return how the chip's shared memory serves a warp, as plans of conversions need it.

        Raises: LayoutError where the chip has none.
        """
        if self.banks is None:
            raise LayoutError(f"{self.name} has no shared memory of banks", found=self.name)
        return self.banks

    @property
    def ptx_release(self) -> tuple[int, int]:
        """Return the release of PTX that LLVM writes for the chip, (0, 0) if it writes none."""
        found = _PTX.search(self.llvm_features)
        return (int(found[1]), int(found[2])) if found else (0, 0)

    @property
    def name(self) -> str:
        """Return the name that Triton writes in a module: "cuda:90", "hip:gfx942", "cpu"."""
        return str(self.arch) if self.backend == self.arch else f"{self.backend}:{self.arch}"

    @property
    def warp_size(self) -> int:
        """Return threads_per_warp, by its other name."""
        return self.threads_per_warp

    def __str__(self) -> str:
        return self.name


def read(text: str | Tables, file: str) -> Target:
    """Return the chip that a file describes.

    Args: text: TOML, or its tables.  file: its name, for messages.
    Raises: WeftError with the key and what stands there.
    """
    data = parse(text, file)
    check_keys(file, "table", data, ("sources", "facts"), ("shared_memory",))
    sources = read_sources(file, data["sources"])
    kinds = kinds_of(Target, leave_out=("banks",))
    made = Target(**read_facts(file, data["facts"], kinds, sources))
    if "shared_memory" in data:
        arch = f"sm_{made.arch}" if made.backend == "cuda" else str(made.arch)
        table = data["shared_memory"]
        memory = read_shared_memory(file, table, sources, arch, made.threads_per_warp)
        made = replace(made, banks=memory)
    _check(file, made)
    return made


def _check(file: str, chip: Target) -> None:
    """Check what facts say about each other."""
    for key in ("threads_per_warp", "max_threads_per_block", "max_num_ctas", "default_num_warps"):
        if not is_power_of_two(getattr(chip, key)):
            raise LayoutError(f"{file}: {key} must be a power of two", found=getattr(chip, key))
    if chip.default_num_warps * chip.threads_per_warp > chip.max_threads_per_block:
        raise WeftError(
            f"{file}: the default launch must fit max_threads_per_block",
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
