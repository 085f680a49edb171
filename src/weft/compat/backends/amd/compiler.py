"""`triton.backends.amd.compiler`: the compile options of AMD GPUs.

HIPBackend(GPUTarget("hip", "gfx942", 64)).parse_options({"num_warps": 8})     # HIPOptions(…)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from typing_extensions import override

from weft import knobs
from weft.compat.backends.compiler import (
    BackendOptions,
    BaseBackend,
    GPUOptions,
    GPUTarget,
    stage_method,
)
from weft.compat.unsupported import unsupported_names
from weft.launch.arrays import storage_bytes
from weft.targets import target as find_target

__all__ = [
    "HIPBackend",
    "HIPOptions",
    "get_min_dot_size",
    "is_async_copy_enabled",
    "is_in_thread_transpose_enabled",
    "is_pingpong_schedule_enabled",
]

__getattr__ = unsupported_names(
    "triton.backends.amd.compiler",
    "weft.compile(kernel, target='hip:gfx942', …) takes these options by keyword",
)

_MAX_SMALL_BYTES = 2**31 - 1


def get_min_dot_size(target: GPUTarget) -> Callable[[Any, Any], tuple[int, int, int]]:
    """Get the function from the types of a dot's operands to its least sizes."""
    chip = find_target(str(target))
    m, n, k = chip.min_dot_size
    return lambda lhs_type, rhs_type: (m, n, k)


def is_pingpong_schedule_enabled(arch: str, use_async_copy: bool) -> bool:
    """Check whether loops are scheduled for two warps per SIMD."""
    if knobs.amd.use_block_pingpong is not None:
        return knobs.amd.use_block_pingpong
    default = find_target(f"hip:{arch}").block_pingpong
    return default == "always" or (default == "async" and use_async_copy)


def is_in_thread_transpose_enabled(arch: str) -> bool:
    """Check whether dot operands are transposed in registers."""
    if knobs.amd.use_in_thread_transpose is not None:
        return knobs.amd.use_in_thread_transpose
    return find_target(f"hip:{arch}").in_thread_transpose


def is_async_copy_enabled(arch: str) -> bool | None:
    """Check whether pipelined loops copy to shared memory without registers."""
    return knobs.amd.use_async_copy


@dataclass(frozen=True)
class HIPOptions(GPUOptions):
    """The compile options of AMD GPUs, with what weft takes from the target.

    The attributes are those of `weft.compiler.options.CompileOptions`, and facts about the target.
    """

    num_warps: int = 4
    waves_per_eu: int = 0
    num_stages: int = 2
    num_ctas: int = 1
    extern_libs: Any = None
    debug: bool = False
    sanitize_overflow: bool = True
    arch: str | None = None
    supported_fp8_dtypes: tuple[str, ...] = ("fp8e4nv", "fp8e5", "fp8e5b16", "fp8e4b8")
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...] = ()
    default_dot_input_precision: str = "ieee"
    allowed_dot_input_precisions: tuple[str, ...] = ("ieee", "bf16x3", "bf16x6")
    enable_fp_fusion: bool = True
    launch_cooperative_grid: bool = False
    matrix_instr_nonkdim: int = 0
    kpack: int = 1
    allow_flush_denorm: bool = False
    max_num_imprecise_acc_default: int = 0
    backend_name: str = "hip"
    instrumentation_mode: str = ""
    schedule_hint: str = "none"
    warp_size: int = field(init=False)

    def __post_init__(self) -> None:
        lanes = find_target(f"hip:{self.arch}").threads_per_warp
        object.__setattr__(self, "warp_size", lanes)
        super().__post_init__()


class HIPBackend(BaseBackend):
    """AMD GPUs.

    Attributes:
        instrumentation: Triton's instrumentation passes, which weft does not have.
    """

    name: ClassVar[str] = "hip"
    binary_ext: ClassVar[str] = "hsaco"
    options_class: ClassVar[type[BackendOptions]] = HIPOptions
    supports_native_tensor_specialization: ClassVar[bool] = False
    instrumentation: ClassVar[object] = None

    @override
    def pack_metadata(self, metadata: Any) -> tuple[int, ...]:
        return metadata.num_warps, metadata.num_warps, metadata.num_ctas, metadata.shared

    @override
    def get_codegen_implementation(self, options: object) -> dict[str, object]:
        """Get the front end's functions of the target."""
        return {"min_dot_size": get_min_dot_size(self.target)}

    @staticmethod
    def is_within_2gb(arg: Any) -> bool:
        """Check whether 32-bit offsets reach all of an array's memory."""
        if hasattr(arg, "ptr_range"):
            return arg.ptr_range() <= _MAX_SMALL_BYTES
        size = storage_bytes(arg)
        return size is not None and size <= _MAX_SMALL_BYTES

    @staticmethod
    @override
    def parse_attr(desc: str) -> list[list[object]]:
        """Translate the letters of a specialization: also S for less than 2 GiB."""
        small = [["tt.pointer_range", 32]] if "S" in desc else []
        return [*BaseBackend.parse_attr(desc), *small]

    @staticmethod
    @override
    def get_tensor_specialization(arg: object, **kwargs: object) -> str:
        """Get the letters of an array argument."""
        is_small = knobs.amd.use_buffer_ops and HIPBackend.is_within_2gb(arg)
        return BaseBackend.get_tensor_specialization(arg, **kwargs) + ("S" if is_small else "")

    make_ttir = staticmethod(stage_method("make_ttir", "mod metadata options"))
    make_ttgir = staticmethod(stage_method("make_ttgir", "mod metadata options"))
    gluon_to_ttgir = staticmethod(stage_method("gluon_to_ttgir", "src metadata options"))
    make_llir = staticmethod(stage_method("make_llir", "src metadata options"))
    make_amdgcn = staticmethod(stage_method("make_amdgcn", "src metadata options"))
    make_hsaco = staticmethod(stage_method("make_hsaco", "src metadata options"))
