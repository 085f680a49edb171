"""Dataflow analysis: solvers that run transfer functions over a program to a fixpoint.

An analysis chooses what to compute, the solver decides what to visit and when.

sparse    one lattice element per SSA value     contiguity, ranges, constants, buffers
dense     one lattice element per program point accesses to memory since the last barrier

A lattice element describes the executions seen so far. Where two paths meet the solver joins the
elements of both. A transfer function computes the element after an operation from those before
it. The solver repeats until no join changes an element: the fixpoint.

Both solvers follow control flow through `weft.ir.interfaces` and name no operation with regions.
They follow MLIR's framework (Analysis/DataFlowFramework.h, SparseAnalysis.h, DenseAnalysis.h).
"""

from __future__ import annotations

from weft.analysis.dataflow.dense import DenseForwardAnalysis
from weft.analysis.dataflow.sparse import Edge, SparseForwardAnalysis

__all__ = ["DenseForwardAnalysis", "Edge", "SparseForwardAnalysis"]
