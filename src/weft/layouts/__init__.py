"""Tensor layouts as linear maps over GF(2). The package is usable alone, without IR or compiler.

    from weft.layouts import conversion, parse

    blocked = parse("#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], …}>")
    layout = blocked.linear((128,))

`weft.layouts.linear_layout` explains the idea. `docs/reference/layouts.md` lists these names by the
question that they answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.layouts.default_encoding import default_blocked
from weft.layouts.encodings import (
    ENCODINGS,
    AmdMfmaEncoding,
    AmdRotatingSharedEncoding,
    AmdWmmaEncoding,
    AutoEncoding,
    BlockedEncoding,
    CoalescedEncoding,
    DotOperandEncoding,
    Encoding,
    LinearEncoding,
    NvidiaMmaEncoding,
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    PartitionedSharedEncoding,
    SharedLinearEncoding,
    SliceEncoding,
    SwizzledSharedEncoding,
    TensorMemoryEncoding,
    TensorMemoryScalesEncoding,
)
from weft.layouts.linear_layout import LinearLayout
from weft.lazy_attributes import lazy_getattr, object_references

if TYPE_CHECKING:
    from weft.layouts.bank_conflicts import BankReport, Collision, bank_report
    from weft.layouts.cluster_split import cta_split
    from weft.layouts.coalescing import CoalescingReport
    from weft.layouts.coalescing import coalescing as coalescing_report
    from weft.layouts.column_action import ColumnAction, remove_broadcast
    from weft.layouts.distributed import distribute, holders, thread_grid
    from weft.layouts.layout_transforms import (
        at_least,
        at_most,
        broadcast_as,
        is_square_identity,
        remove_dimension,
        repetitions,
        reshape_row_major,
        transpose,
        zeros_like,
    )
    from weft.layouts.matrix_instructions import mma_operand, mma_result
    from weft.layouts.parser import parse, parse_prefix
    from weft.layouts.plans import Conversion, Cost, conversion, optimal_swizzle
    from weft.layouts.scale_layouts import mfma_scale, mma_scale, wmma_scale
    from weft.layouts.shared_memory import Phase, SharedMemory
    from weft.layouts.swizzle_search import SearchResult, Use, best_padding, best_swizzle
    from weft.layouts.thread_distribution import (
        shape_per_cta_tile,
        size_per_thread,
        thread_order,
        threads_per_warp,
        warp_order,
        warps_per_cta,
    )
    from weft.layouts.transposed_loads import transposing_load
    from weft.layouts.vectorization import (
        largest_vectorisation,
        permutation_for_division,
    )

# The modules of all other names. They are loaded when a name is first used, as some of them load
# numpy.
_LAZY = object_references(
    {
        "weft.layouts.bank_conflicts": "BankReport Collision bank_report",
        "weft.layouts.coalescing": "CoalescingReport",
        "weft.layouts.column_action": "ColumnAction remove_broadcast",
        "weft.layouts.cluster_split": "cta_split",
        "weft.layouts.distributed": "distribute holders thread_grid",
        "weft.layouts.layout_transforms": (
            "at_least at_most broadcast_as is_square_identity remove_dimension repetitions "
            "reshape_row_major transpose zeros_like"
        ),
        "weft.layouts.matrix_instructions": "mma_operand mma_result",
        "weft.layouts.parser": "parse parse_prefix",
        "weft.layouts.plans": "Conversion Cost conversion optimal_swizzle",
        "weft.layouts.scale_layouts": "mfma_scale mma_scale wmma_scale",
        "weft.layouts.shared_memory": "Phase SharedMemory",
        "weft.layouts.swizzle_search": "SearchResult Use best_padding best_swizzle",
        "weft.layouts.thread_distribution": (
            "shape_per_cta_tile size_per_thread thread_order threads_per_warp warp_order "
            "warps_per_cta"
        ),
        "weft.layouts.transposed_loads": "transposing_load",
        "weft.layouts.vectorization": ("largest_vectorisation permutation_for_division"),
    }
) | {"coalescing_report": "weft.layouts.coalescing:coalescing"}

__all__ = [
    "ENCODINGS",
    "AmdMfmaEncoding",
    "AmdRotatingSharedEncoding",
    "AmdWmmaEncoding",
    "AutoEncoding",
    "BlockedEncoding",
    "CoalescedEncoding",
    "DotOperandEncoding",
    "Encoding",
    "LinearEncoding",
    "LinearLayout",
    "NvidiaMmaEncoding",
    "NvmmaSharedEncoding",
    "PaddedSharedEncoding",
    "PartitionedSharedEncoding",
    "SharedLinearEncoding",
    "SliceEncoding",
    "SwizzledSharedEncoding",
    "TensorMemoryEncoding",
    "TensorMemoryScalesEncoding",
    "default_blocked",
    "parse",
    "parse_prefix",
    "BankReport",
    "CoalescingReport",
    "Collision",
    "ColumnAction",
    "Conversion",
    "Cost",
    "Phase",
    "SearchResult",
    "SharedMemory",
    "Use",
    "at_least",
    "at_most",
    "bank_report",
    "best_padding",
    "best_swizzle",
    "broadcast_as",
    "coalescing_report",
    "conversion",
    "cta_split",
    "distribute",
    "holders",
    "is_square_identity",
    "largest_vectorisation",
    "mfma_scale",
    "mma_operand",
    "mma_result",
    "mma_scale",
    "optimal_swizzle",
    "permutation_for_division",
    "remove_broadcast",
    "remove_dimension",
    "repetitions",
    "reshape_row_major",
    "shape_per_cta_tile",
    "size_per_thread",
    "thread_grid",
    "thread_order",
    "threads_per_warp",
    "transpose",
    "transposing_load",
    "warp_order",
    "warps_per_cta",
    "wmma_scale",
    "zeros_like",
]


__getattr__ = lazy_getattr(__name__, _LAZY)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
