"""Barriers between the CTAs of a cluster: `ttng.cluster_arrive` and `ttng.cluster_wait`.

    %y = ttg.convert_layout %x      reads the scratch memory of other CTAs
    ttng.cluster_arrive             they may still read it
    ttng.cluster_wait
    %b = ttg.local_alloc %y         overwrites those bytes

An access is distributed if it reaches the memory of another CTA. Two accesses to the same bytes
need a barrier if one of them is distributed, unless the program itself uses one buffer for both,
which orders them. A kernel does not end before the other CTAs have read its memory; with pairs of
CTAs, the end of tensor memory synchronizes them.

Source: Triton, ClusterBarrierInsertion.cpp.
"""

from __future__ import annotations

from weft.analysis.shared_memory_offsets import ModuleOffsets
from weft.ir import attributes, tt, ttg, ttng, types
from weft.ir.attributes import number
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.rewriting import Builder, ancestors
from weft.passes.membar.accesses import Accesses, AccessKind, Slice
from weft.passes.membar.insertion import BarrierInsertion

__all__ = ["insert_cluster_barriers"]

_TWO_CTAS = "ttng.two-ctas"


def insert_cluster_barriers(offsets: ModuleOffsets) -> None:
    """Insert barriers of the cluster into the functions of a module."""
    _ClusterBarriers().run(offsets)


class _ClusterBarriers(BarrierInsertion):
    def visit(self, op: Operation, before: Accesses) -> Accesses:
        if isinstance(op, ttng.ClusterWaitOp):
            return Accesses()
        if isinstance(op, tt.ReturnOp):
            return self._visit_return(op, before)
        accesses = self.accesses_of(op, through_aliases=False)
        scratch = self.scratch_of(op)
        if scratch is not None:
            accesses |= Accesses(writes=frozenset({(scratch, op)}))
        if before.is_hazard_before(accesses, _is_safe, _is_one_buffer):
            _insert(op)
            before = Accesses()
        if scratch is not None:
            if _is_distributed(AccessKind(op, reads=True)):
                before = Accesses()  # the operation synchronizes the cluster itself
            accesses |= Accesses(reads=frozenset({(scratch, op)}))
        return before | accesses

    def _visit_return(self, op: tt.ReturnOp, before: Accesses) -> Accesses:
        function = op.parent_op()
        if not isinstance(function, tt.FuncOp) or not function.is_public or _has_two_ctas(op):
            return before
        kinds = [
            AccessKind(each, reads)
            for accesses, reads in ((before.reads, True), (before.writes, False))
            for _, each in accesses
        ]
        if not any(map(_is_distributed, kinds)):
            return before
        _insert(op)
        return Accesses()


def _insert(op: Operation) -> None:
    builder = Builder().before(op)
    properties = {"relaxed": attributes.boolean(False)}
    builder.create(ttng.ClusterArriveOp, properties=properties)
    builder.create(ttng.ClusterWaitOp)


def _is_safe(earlier: AccessKind, later: AccessKind) -> bool:
    return not _is_distributed(earlier) and not _is_distributed(later)


def _is_one_buffer(earlier: Slice, later: Slice) -> bool:
    """Check whether the program itself uses one buffer for two accesses, and orders them."""
    return earlier.buffer is not None and earlier.buffer is later.buffer


def _is_distributed(access: AccessKind) -> bool:
    """Check whether an access reaches the memory of another CTA."""
    op = access.op
    if isinstance(op, ttg.ConvertLayoutOp):
        return access.reads and _crosses_ctas(op)
    if isinstance(op, tt.ReduceOp):
        return access.reads and _reduces_over_ctas(op)
    if isinstance(op, ttng.TCGen5MMAOp):
        return op.properties.get("two_ctas") is not None
    if isinstance(op, ttng.AsyncTMACopyGlobalToLocalOp):
        return op.properties.get("multicast") is not None
    return False


def _crosses_ctas(op: ttg.ConvertLayoutOp) -> bool:
    """Check whether a conversion reads elements of other CTAs."""
    before, after = (types.encoding(value.type) for value in (op.operands[0], op.results[0]))
    assert before is not None
    assert after is not None
    shape = types.shape(op.results[0].type)
    moves = after.linear(shape).invert_and_compose(before.linear(shape))
    return moves.quotient(["block"]) is None


def _reduces_over_ctas(op: tt.ReduceOp) -> bool:
    """Check whether several CTAs have parts of a row that is reduced."""
    type_ = op.operands[0].type
    encoding = types.encoding(type_)
    assert encoding is not None
    layout = encoding.linear(types.shape(type_))
    axis = int(number(op.properties["axis"]) or 0)
    return any(layout.unpack(image)[axis] for image in layout.images("block"))


def _has_two_ctas(op: Operation) -> bool:
    """Check whether the CTAs of the module work in pairs."""
    module = next(each for each in ancestors(op) if isinstance(each, ModuleOp))
    return bool(number(module.attributes.get(_TWO_CTAS)))
