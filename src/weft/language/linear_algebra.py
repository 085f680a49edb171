"""Matrix multiplication."""

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
    """Return the matrix product of `input` and `other`, plus `acc`.

    Args:
        input: A block of m × k elements, or a batch b × m × k.
        other: A block of k × n elements, or a batch b × k × n.
        acc: The accumulator, m × n or b × m × n, of type `out_dtype`.
        input_precision: The precision of an fp32 multiplication: "tf32", "tf32x3", "ieee",
            "bf16x3" or "bf16x6", as the target supports.
        allow_tf32: The older form of `input_precision`: "tf32" if true, else "ieee".
        max_num_imprecise_acc: The number of fp8 products that a limited-precision accumulator
            may sum before they are added to an fp32 accumulator.
        out_dtype: The element type of the result: fp32, fp16, or int32 for integer operands.
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
    """Return the product of two matrices in a microscaling format, plus `acc`.

    32 elements along k share one scale, an e8m0 exponent stored as uint8 (OCP Microscaling Formats
    Specification 1.0).

    Args:
        lhs: A block of m × k elements.
        lhs_scale: The scales of `lhs`, m × (k / 32), or None.
        lhs_format: "e2m1", "e4m3", "e5m2", "fp16" or "bf16". Two e2m1 elements are packed in a
            uint8.
        rhs: A block of k × n elements.
        rhs_scale: The scales of `rhs`, n × (k / 32), or None.
        rhs_format: As `lhs_format`.
        acc: The accumulator, m × n.
        fast_math: Do not propagate NaN scales.
        lhs_k_pack: Whether e2m1 elements of `lhs` are packed along k (else along m).
        rhs_k_pack: Whether e2m1 elements of `rhs` are packed along k (else along n).
        out_dtype: The element type of the result: fp32.
    """
