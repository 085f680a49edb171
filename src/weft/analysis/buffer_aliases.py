"""Which buffers a memory descriptor may refer to, by sparse dataflow analysis.

    %a = ttg.local_alloc : !ttg.memdesc<2x64x32xf16, …>          {%a}
    %b = ttg.memdesc_index %a[%i]                                {%a}      a view of %a
    %c = scf.for … iter_args(%x = %b) {                          {%a, %d}
      %d = ttg.local_alloc …
      scf.yield %d
    }

A lattice element is a set of buffers, each named by the result of its allocation; the join is the
union. Triton has the same analysis for shared memory (Analysis/Alias.cpp).
"""

from __future__ import annotations

from collections.abc import Mapping

from typing_extensions import override

from weft.analysis.dataflow import SparseForwardAnalysis
from weft.ir import arith, tt, ttg, ttng
from weft.ir.builtin import Operation, SSAValue

__all__ = ["Aliases", "Buffers", "buffer_aliases"]

Buffers = frozenset[SSAValue]
Aliases = Mapping[SSAValue, Buffers]

_VIEWS: frozenset[type[Operation]] = frozenset(
    {
        ttg.MemDescIndexOp,
        ttg.MemDescReinterpretOp,
        ttg.MemDescReshapeOp,
        ttg.MemDescSubsliceOp,
        ttg.MemDescTransOp,
        ttng.TMEMSubSliceOp,
        ttng.WarpGroupDotWaitOp,
    }
)


def buffer_aliases(function: tt.FuncOp, allocation: type[Operation] = ttg.LocalAllocOp) -> Aliases:
    """Find the buffers that each memory descriptor of a function may refer to.

    Args:
        function: A function with a body.
        allocation: The class of the operations that allocate; it decides in which memory.

    Returns:
        The buffers by value. Values that refer to none are missing.
    """
    analysis = _BufferAliasAnalysis(allocation)
    analysis.enter(function)
    analysis.solve()
    return analysis.states


class _BufferAliasAnalysis(SparseForwardAnalysis[Buffers]):
    def __init__(self, allocation: type[Operation]) -> None:
        super().__init__()
        self._allocation = allocation

    @override
    def join(self, first: Buffers, second: Buffers) -> Buffers:
        return first | second

    @override
    def entry_state(self, value: SSAValue) -> None:
        return None  # a number, or a buffer of another memory

    @override
    def visit_operation(self, op: Operation) -> None:
        if isinstance(op, self._allocation):
            self.update(op.results[0], frozenset(op.results[:1]))
        elif type(op) in _VIEWS:
            for source, view in zip(op.operands, op.results, strict=False):
                self.update(view, self.states.get(source))
        elif isinstance(op, arith.SelectOp):
            for source in op.operands[1:]:
                self.update(op.results[0], self.states.get(source))
