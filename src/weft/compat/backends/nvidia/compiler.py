"""`triton.backends.nvidia.compiler`: the compile options of NVIDIA GPUs.

CUDABackend(GPUTarget("cuda", 90, 32)).parse_options({"num_warps": 8})     # CUDAOptions(…)
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
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
from weft.targets import target as find_target

__all__ = [
    "CUDABackend",
    "CUDAOptions",
    "file_hash",
    "get_ptxas",
    "get_ptxas_version",
    "min_dot_size",
    "sm_arch_from_capability",
]

__getattr__ = unsupported_names(
    "triton.backends.nvidia.compiler",
    "weft.compile(kernel, target='cuda:90', …) takes these options by keyword",
)


def min_dot_size(target: GPUTarget) -> Callable[[Any, Any], tuple[int, int, int]]:
    """Get the function from the types of a dot's operands to its least sizes."""
    chip = find_target(str(target))

    def sizes(lhs_type: Any, rhs_type: Any) -> tuple[int, int, int]:
        m, n, k = chip.min_dot_size
        return m, n, chip.min_dot_k_8bit if lhs_type.scalar.primitive_bitwidth == 8 else k

    return sizes


def get_ptxas(arch: int) -> knobs.NvidiaTool:
    """Get the ptxas for a compute capability."""
    is_blackwell = find_target(f"cuda:{arch}").generation == "blackwell"
    return knobs.nvidia.ptxas_blackwell if is_blackwell else knobs.nvidia.ptxas


def get_ptxas_version(arch: int = 80) -> str:
    """Get the CUDA release of the ptxas for a compute capability."""
    return get_ptxas(arch).version


def sm_arch_from_capability(capability: int) -> str:
    """Get ptxas's name of a compute capability: "sm_90a"."""
    return find_target(f"cuda:{capability}").llvm_cpu


@cache
def file_hash(path: str) -> str:
    """Compute the digest of a file."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@dataclass(frozen=True)
class CUDAOptions(GPUOptions):
    """The compile options of NVIDIA GPUs, with what weft takes from the target.

    The attributes are those of `weft.compiler.options.CompileOptions`, and facts about the target.
    """

    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 3
    warp_size: int = 32
    maxnreg: int | None = None
    ptx_version: int | None = None
    ptx_options: str | None = None
    ir_override: str | None = None
    enable_fp_fusion: bool = True
    enable_reflect_ftz: bool = True
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    supported_fp8_dtypes: tuple[str, ...] = ("fp8e5", "fp8e4b15")
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...] = ()
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: tuple[str, ...] = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
    max_num_imprecise_acc_default: int | None = None
    extern_libs: Any = None
    debug: bool = False
    backend_name: str = "cuda"
    sanitize_overflow: bool = True
    arch: str | None = None
    instrumentation_mode: str = ""

    @property
    def enable_iisan(self) -> bool:
        """Whether accesses are instrumented."""
        return "iisan" in self.instrumentation_mode


class CUDABackend(BaseBackend):
    """NVIDIA GPUs.

    Attributes:
        instrumentation: Triton's instrumentation passes, which weft does not have.
    """

    name: ClassVar[str] = "cuda"
    binary_ext: ClassVar[str] = "cubin"
    options_class: ClassVar[type[BackendOptions]] = CUDAOptions
    instrumentation: ClassVar[object] = None

    @override
    def get_codegen_implementation(self, options: object) -> dict[str, object]:
        """Get the front end's functions of the target."""
        from weft.language.extra.cuda import special_registers

        return {
            "convert_custom_types": special_registers.convert_custom_float8_sm80,
            "min_dot_size": min_dot_size(self.target),
        }

    make_ttir = staticmethod(stage_method("make_ttir", "mod metadata opt capability"))
    make_ttgir = staticmethod(stage_method("make_ttgir", "mod metadata opt capability"))
    gluon_to_ttgir = stage_method("gluon_to_ttgir", "self src metadata options capability")
    make_llir = stage_method("make_llir", "self src metadata options capability")
    make_ptx = stage_method("make_ptx", "self src metadata opt capability")
    make_cubin = stage_method("make_cubin", "self src metadata opt capability")
