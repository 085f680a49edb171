"""What the front end must know of the target and of the launch: the facts that change TTIR.

Whoever calls the front end fills them in from the chip's row of facts and from the options of the
launch; the front end itself knows no chip.
"""

from __future__ import annotations

from dataclasses import dataclass

_ALL_PRECISIONS = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")


@dataclass(frozen=True, slots=True)
class FrontendOptions:
    """Hold the target and launch facts that the front end reads.

    Args: backend: "cuda", "hip" or "cpu".  arch: compute capability (90) or chip ("gfx942").
          warp_size: threads per warp.  num_warps, num_stages, num_ctas: of the launch.
          default_dot_input_precision, allowed_dot_input_precisions: for fp32 operands of a dot.
          supported_fp8_dtypes: names of the 8-bit floats that values may have.
          deprecated_fp8_dot_operand_dtypes: those that a dot multiplies slowly.
          max_num_imprecise_acc_default: bound on fp8 products summed imprecisely, 0 for none.
          min_dot_size: smallest (m, n, k) of a dot.  min_dot_k_8bit: smallest k of 8-bit operands.
          enable_fp_fusion: multiply-adds may be fused.  debug: device_assert is kept.
          sanitize_overflow: with debug, integer overflow is checked.
          compute_capability: of an NVIDIA chip, 90 for 9.0.  generation: of a chip, "cdna3".
          realtime_clock: instructions that read the clock of an AMD chip into $0.
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
    realtime_clock: str | None = None
