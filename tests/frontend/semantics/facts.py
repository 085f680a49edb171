"""Front-end options of four targets, as Triton 3.7.1 derives them."""

from __future__ import annotations

from weft.frontend.options import FrontendOptions

CUDA_80 = FrontendOptions(backend="cuda", arch=80, compute_capability=80)
CUDA_90 = FrontendOptions(
    backend="cuda",
    arch=90,
    compute_capability=90,
    supported_fp8_dtypes=("fp8e4b15", "fp8e4nv", "fp8e5"),
    deprecated_fp8_dot_operand_dtypes=("fp8e4b15",),
    max_num_imprecise_acc_default=1 << 30,
)
GFX942 = FrontendOptions(
    backend="hip",
    arch="gfx942",
    warp_size=64,
    num_stages=2,
    default_dot_input_precision="tf32",
    allowed_dot_input_precisions=("bf16x3", "bf16x6", "ieee", "tf32"),
    supported_fp8_dtypes=("fp8e4b8", "fp8e4nv", "fp8e5", "fp8e5b16"),
    min_dot_size=(1, 1, 1),
    min_dot_k_8bit=1,
    generation="cdna3",
)
GFX1100 = FrontendOptions(
    backend="hip",
    arch="gfx1100",
    num_stages=2,
    default_dot_input_precision="ieee",
    allowed_dot_input_precisions=("ieee", "bf16x3", "bf16x6"),
    supported_fp8_dtypes=("fp8e4b8", "fp8e4nv", "fp8e5", "fp8e5b16"),
    min_dot_size=(1, 1, 1),
    min_dot_k_8bit=1,
    generation="rdna3",
)
BY_TARGET = {
    "cuda:80": CUDA_80,
    "cuda:90": CUDA_90,
    "hip:gfx942": GFX942,
    "hip:gfx1100": GFX1100,
}
