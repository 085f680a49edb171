"""Products of matrices."""

from __future__ import annotations

from weft.language.builtin import builtin
from weft.language.dtypes import float32


@builtin
def dot(
    input,
    other,
    acc=None,
    input_precision=None,
    allow_tf32=None,
    max_num_imprecise_acc=None,
    out_dtype=float32,
):
    """Return the matrix product of `input` (m × k) and `other` (k × n), plus `acc`.

    Blocks of rank 3 are batches of matrices. `input_precision` says how fp32 operands may be
    multiplied: "tf32", "tf32x3", "ieee", "bf16x3" or "bf16x6", as the target allows; `allow_tf32`
    is its older form. `max_num_imprecise_acc` bounds how many fp8 products the imprecise
    accumulator of the hardware sums. `out_dtype` is fp32, fp16, or int32 for integers.
    """


@builtin
def dot_scaled(
    lhs,
    lhs_scale,
    lhs_format,
    rhs,
    rhs_scale,
    rhs_format,
    acc=None,
    fast_math=False,
    lhs_k_pack=True,
    rhs_k_pack=True,
    out_dtype=float32,
):
    """Return the product of two matrices in microscaling format, plus `acc`.

    Every 32 elements along k share one scale, an e8m0 exponent as uint8. The formats are "e2m1",
    "e4m3", "e5m2", "fp16" or "bf16"; "e2m1" elements stand in pairs in a uint8, along k unless
    `lhs_k_pack` (`rhs_k_pack`) is false. A scale may be None.
    """
