"""The passes over TTIR, which has no layouts yet."""

from __future__ import annotations

from weft.passes import Pass, named

__all__ = ["PASSES", "passes"]


def passes(*, tensor_descriptors: bool, hoist: bool) -> tuple[Pass, ...]:
    """Return the passes.

    Args: tensor_descriptors: whether the chip copies tiles by descriptor in hardware.
          hoist: whether to move loop-invariant operations, loads too, in front of loops.
    """
    return (
        named("inline"),  # first: every later pass looks at one function at a time
        named("triton-rewrite-tensor-pointer"),
        *(() if tensor_descriptors else (named("triton-rewrite-tensor-descriptor-to-pointer"),)),
        named("canonicalize"),  # what the two rewrites left is verbose
        named("triton-combine"),
        # after combine, which recognises sums of products by their broadcasts
        named("triton-reorder-broadcast"),
        named("cse"),  # the rewrites above make the same splats again and again
        *((named("triton-licm"),) if hoist else ()),  # after cse, so that each invariant moves once
        named("symbol-dce"),
        named("triton-loop-unroll"),  # last: everything before is cheaper on a rolled loop
    )


PASSES: tuple[Pass, ...] = passes(tensor_descriptors=True, hoist=False)
"""The list for the embedded CPU device, whose interpreter runs descriptors as they are."""
