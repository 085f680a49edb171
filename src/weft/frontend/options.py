"""What the front end must know of the target and of the launch: the facts that change TTIR.

    FrontendOptions.for_target("cuda", 90, num_warps=8)

The facts of a chip are rows of `_CHIPS`; a launch option is a keyword argument. Source of the
rows: the options that Triton 3.7.1 derives for the same chips.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from weft.errors import SignatureError, UnknownTargetError, did_you_mean

_ALL_PRECISIONS = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
_HIP_FP8 = ("fp8e4b8", "fp8e4nv", "fp8e5", "fp8e5b16")


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

    @classmethod
    def for_target(cls, backend: str, arch: int | str, **launch: Any) -> FrontendOptions:
        """Return the options for a chip; `launch` overrides single fields.

        Raises: UnknownTargetError: no row for the chip.  SignatureError: no such field.
        """
        known = {field.name for field in fields(cls)}
        for name in launch:
            if name not in known:
                raise SignatureError(
                    f"unknown option {name}",
                    found=name,
                    accepted=sorted(known),
                    hint=did_you_mean(name, known),
                )
        return cls(backend=backend, arch=arch, **{**chip_facts(backend, arch), **launch})


_HIP: Mapping[str, Any] = {
    "warp_size": 64,
    "num_stages": 2,
    "default_dot_input_precision": "ieee",
    "allowed_dot_input_precisions": ("ieee", "bf16x3", "bf16x6"),
    "supported_fp8_dtypes": _HIP_FP8,
    "min_dot_size": (1, 1, 1),
    "min_dot_k_8bit": 1,
}
_CUDA_8_9: Mapping[str, Any] = {"supported_fp8_dtypes": ("fp8e4b15", "fp8e4nv", "fp8e5")}
_CUDA_10: Mapping[str, Any] = {**_CUDA_8_9, "deprecated_fp8_dot_operand_dtypes": ("fp8e4b15",)}
_RDNA: Mapping[str, Any] = {**_HIP, "warp_size": 32}

_CHIPS: dict[tuple[str, int | str], Mapping[str, Any]] = {
    ("cuda", 75): {},
    ("cuda", 80): {},
    ("cuda", 86): {},
    ("cuda", 89): _CUDA_8_9,
    ("cuda", 90): {**_CUDA_10, "max_num_imprecise_acc_default": 1 << 30},
    ("cuda", 100): _CUDA_10,
    ("cuda", 120): _CUDA_10,
    ("hip", "gfx90a"): _HIP,
    ("hip", "gfx942"): {
        **_HIP,
        "allowed_dot_input_precisions": ("bf16x3", "bf16x6", "ieee", "tf32"),
    },
    ("hip", "gfx950"): {**_HIP, "deprecated_fp8_dot_operand_dtypes": ("fp8e4b8", "fp8e5b16")},
    ("hip", "gfx1100"): _RDNA,
    ("hip", "gfx1101"): _RDNA,
    ("hip", "gfx1102"): _RDNA,
    ("hip", "gfx1200"): _RDNA,
    ("hip", "gfx1201"): _RDNA,
    ("cpu", "host"): {
        "warp_size": 1,
        "default_dot_input_precision": "ieee",
        "supported_fp8_dtypes": ("fp8e4b15", *_HIP_FP8),
        "min_dot_size": (1, 1, 1),
        "min_dot_k_8bit": 1,
    },
}


def chip_facts(backend: str, arch: int | str) -> Mapping[str, Any]:
    """Return the fields that differ from the defaults for a chip.

    Raises: UnknownTargetError listing the known chips.
    """
    facts = _CHIPS.get((backend, arch))
    if facts is None:
        names = [f"{known}:{chip}" for known, chip in _CHIPS]
        raise UnknownTargetError(
            "the front end knows no such target",
            found=f"{backend}:{arch}",
            accepted=names,
            hint=did_you_mean(f"{backend}:{arch}", names),
        )
    return facts
