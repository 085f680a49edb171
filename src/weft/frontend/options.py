"""The properties of target and launch that TTIR depends on.

The caller of the front end fills them in from the target's facts and the launch options.
"""

from __future__ import annotations

from msgspec import Struct

_ALL_PRECISIONS = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")


class FrontendOptions(Struct, frozen=True):
    """The properties of target and launch.

    Attributes:
        backend: "cuda", "hip" or "cpu".
        arch: The compute capability (90) or the chip ("gfx942").
        warp_size: The number of threads of a warp.
        num_warps: The number of warps of a program.
        num_stages: The depth of the software pipeline.
        num_ctas: The number of CTAs of a program.
        default_dot_input_precision: The input precision of an fp32 dot.
        allowed_dot_input_precisions: The input precisions that the target supports.
        supported_fp8_dtypes: The names of the 8-bit floats that the target supports.
        deprecated_fp8_dot_operand_dtypes: The 8-bit floats that a dot converts to fp16 first.
        max_num_imprecise_acc_default: The number of fp8 products in a limited-precision
            accumulator, 0 for none.
        min_dot_size: The minimum (m, n, k) of a dot.
        min_dot_k_8bit: The minimum k of a dot of 8-bit operands.
        enable_fp_fusion: Whether multiplications and additions may be fused.
        debug: Whether to emit device_assert.
        sanitize_overflow: Whether to check integer overflow, with `debug`.
        compute_capability: The compute capability of an NVIDIA GPU, 90 for 9.0.
        generation: The generation of an AMD GPU: "cdna3".
        maxnreg: The maximum number of registers per thread, in the module of a Gluon kernel.
        realtime_clock: The AMD instructions that read the real-time counter into $0.
    """

    backend: str = "cuda"
    arch: int | str = 80
    warp_size: int = 32
    num_warps: int = 4
    num_stages: int = 3
    num_ctas: int = 1
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: tuple[str, ...] = _ALL_PRECISIONS
    supported_fp8_dtypes: tuple[str, ...] = ("fp8e4b15", "fp8e5")
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...] = ()
    max_num_imprecise_acc_default: int = 0
    min_dot_size: tuple[int, int, int] = (1, 1, 16)
    min_dot_k_8bit: int = 32
    enable_fp_fusion: bool = True
    debug: bool = False
    sanitize_overflow: bool = False
    compute_capability: int | None = None
    generation: str | None = None
    maxnreg: int | None = None
    realtime_clock: str | None = None
