"""Which offset each view of shared memory has in its buffer, where control flow does not choose it.

    %a = ttg.local_alloc : !ttg.memdesc<2x64x32xf16, …>          0
    %b = ttg.memdesc_index %a[%i]                                0      the index moves the address
    %c = ttg.memdesc_subslice %b[32, 0]                          1024
    %d = scf.for … iter_args(%x = %b) {                          0
      scf.yield %e                                                      another index of %a
    }

In LLVM IR a block argument is a phi of an address and an offset. Where the offset is one constant,
the addresses of accesses need no instruction for it, and the bits that they have in common with it
are known.
"""

from __future__ import annotations

from collections.abc import Mapping

from typing_extensions import override
from xdsl.ir import Operation, SSAValue

from weft.analysis.dataflow import SparseForwardAnalysis
from weft.ir import arith, attributes, tt, ttg, ttng
from weft.lowering_plans.memdesc import memdesc_of, memory_layout

__all__ = ["constant_view_offsets", "subslice_offset"]

_VARIES = -1
_SAME_OFFSET: frozenset[type[Operation]] = frozenset(
    {
        ttg.MemDescIndexOp,
        ttg.MemDescReinterpretOp,
        ttg.MemDescReshapeOp,
        ttg.MemDescTransOp,
        ttng.WarpGroupDotWaitOp,
    }
)


def subslice_offset(op: ttg.MemDescSubsliceOp) -> int:
    """Compute the offset of a part of a buffer in elements, to be combined by xor."""
    layout = memory_layout(memdesc_of(op.operands[0]))
    starts = attributes.array_values(op.properties["offsets"])
    return int(
        layout.pseudoinvert().apply(dict(zip(layout.out_dims, starts, strict=True)))["offset"]
    )


def constant_view_offsets(function: tt.FuncOp) -> Mapping[SSAValue, int]:
    """Find the offsets of views, in elements, that are the same on all paths.

    Args:
        function: A function with a body.
    """
    analysis = _ViewOffsetAnalysis()
    analysis.enter(function)
    analysis.solve()
    return {view: offset for view, offset in analysis.states.items() if offset != _VARIES}


class _ViewOffsetAnalysis(SparseForwardAnalysis[int]):
    @override
    def join(self, first: int, second: int) -> int:
        return first if first == second else _VARIES

    @override
    def entry_state(self, value: SSAValue) -> int | None:
        return _VARIES if isinstance(value.type, ttg.MemDescType) else None

    @override
    def visit_operation(self, op: Operation) -> None:
        if isinstance(op, ttg.LocalAllocOp):
            self.update(op.results[0], 0)
        elif isinstance(op, ttg.MemDescSubsliceOp):
            source = self.states.get(op.operands[0])
            if source is not None and source != _VARIES:
                source ^= subslice_offset(op)
            self.update(op.results[0], source)
        elif type(op) in _SAME_OFFSET:
            for source, view in zip(op.operands, op.results, strict=False):
                self.update(view, self.states.get(source))
        elif isinstance(op, arith.SelectOp):
            for source in op.operands[1:]:
                self.update(op.results[0], self.states.get(source))
        else:
            self.set_to_entry_state(op.results)
