"""Give tiles that are transposed between tensor and shared memory the layout 16x256b.

    %x = ttg.local_load %s : 64x128, 16 bits        %x = ttg.local_load %s
    %t = tt.trans %x : 128x64                   →   %t = tt.trans %x
    ttng.tmem_store %t, %m                          %c = ttg.convert_layout %t -> #16x256b
                                                    ttng.tmem_store %c, %m

A lane that holds a row of the transposed tile accesses shared memory element by element. In the
layout 16x256b four lanes share a row, as in the fragments of `ldmatrix` and `stmatrix`, which
transpose 8x8 elements of 16 bits. tritongpu-remove-layout-conversions moves the conversion to the
access.
"""

from __future__ import annotations

from weft.analysis.encoding_inference import result_encoding
from weft.ir import scf, ttg, ttng, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.interfaces import BranchOpInterface, RegionBranchOpInterface
from weft.layouts import Encoding
from weft.passes.ledger import record_decision
from weft.passes.nvidia.optimize_tmem_layouts.reduced_rows import layout_for_reduction
from weft.passes.nvidia.optimize_tmem_layouts.register_layouts import (
    registers_16x256b,
    relayout_load,
)
from weft.passes.registry import Pass
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter
from weft.passes.ttgir.remove_layout_conversions.backward_slice import BackwardSlice, SliceError
from weft.passes.ttgir.remove_layout_conversions.rematerialized_values import RematerializedValues

__all__ = ["load_pattern", "store_pattern"]

_FRAGMENT_BITS = 16  # of an element that ldmatrix transposes
_REASON = "shared memory is accessed with ldmatrix or stmatrix"


def store_pattern(by: Pass) -> Pattern:
    """Return the pattern for tiles that come from shared memory.

    Args:
        by: The pass, for its decisions.
    """

    def rewrite(op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, ttng.TMEMStoreOp)
        layout = _other_layout(op, op.src, op.dst)
        if layout is None or not _improves_loads(op, layout):
            return False
        type_ = types.with_encoding(op.src.type, layout)
        value = rewriter.create(ttg.ConvertLayoutOp, (op.src,), (type_,), before=op).results[0]
        rewriter.set_operand(op, op.operands.index(op.src), value)
        record_decision(by, value, str(layout), _REASON)
        return True

    return rewrite


def load_pattern(by: Pass) -> Pattern:
    """Return the pattern for tiles that go to shared memory.

    Args:
        by: The pass, for its decisions.
    """

    def rewrite(op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, ttng.TMEMLoadOp)
        old = types.encoding(op.results[0].type)
        layout = _other_layout(op, op.results[0], op.src)
        if layout is None or not _improves_a_store(op.results[0], layout):
            return False
        if layout_for_reduction(op) is not None:
            return False  # The two patterns would replace each other's layout forever.
        loaded, converted = relayout_load(op, layout, rewriter)
        record_decision(by, loaded, str(layout), _REASON)
        record_decision(by, converted, str(old), "the layout of the users")
        return True

    return rewrite


def _other_layout(op: Operation, tensor: SSAValue, buffer: SSAValue) -> Encoding | None:
    """Compute the layout 16x256b of an access, None if there is none or it has it."""
    memory, old = buffer.type, types.encoding(tensor.type)
    assert isinstance(memory, ttg.MemDescType)
    assert old is not None
    layout = registers_16x256b(op, memory, old)
    return None if layout is old else layout


def _improves_loads(store: ttng.TMEMStoreOp, layout: Encoding) -> bool:
    """Check whether loads from shared memory that feed a store can take over its layout.

    All loads must be of 16 bits and without two neighbours in a thread.
    """
    needed = BackwardSlice()
    try:
        needed.extend(store, store.operands.index(store.src), layout, RematerializedValues())
    except SliceError:
        return False
    loads = [value.owner for value in needed.values if isinstance(value.owner, ttg.LocalLoadOp)]
    return bool(loads) and all(
        types.bit_width(load.result.type) == _FRAGMENT_BITS
        and not _has_neighbours(load.result, load.src)
        for load in loads
    )


def _improves_a_store(loaded: SSAValue, layout: Encoding) -> bool:
    """Check whether a store to shared memory that a tile reaches is of single narrow elements."""
    visited: set[tuple[SSAValue, Encoding]] = set()
    worklist: list[tuple[SSAValue, Encoding]] = [(loaded, layout)]
    while worklist:
        value, encoding = worklist.pop()
        if (value, encoding) in visited:
            continue
        visited.add((value, encoding))
        for use in value.uses:
            user = use.operation
            if isinstance(user, ttg.LocalStoreOp):
                if types.bit_width(user.src.type) < 2 * _FRAGMENT_BITS and not _has_neighbours(
                    user.src, user.dst
                ):
                    return True
                continue
            following = _encoding_after(user, encoding)
            if following is not None:
                worklist += [(result, following) for result in user.results]
    return False


def _encoding_after(user: Operation, encoding: Encoding) -> Encoding | None:
    """Infer the layout of a user's results, None if it has none; not through control flow."""
    if isinstance(user, RegionBranchOpInterface | BranchOpInterface | scf.YieldOp):
        return None
    if isinstance(user, ttg.ConvertLayoutOp):
        return encoding
    return result_encoding(user, encoding)


def _has_neighbours(tensor: SSAValue, buffer: SSAValue) -> bool:
    """Check whether a thread has neighbours in shared memory in consecutive registers."""
    encoding, memory = types.encoding(tensor.type), buffer.type
    assert encoding is not None
    assert isinstance(memory, ttg.MemDescType)
    assert memory.encoding is not None
    to_offset = encoding.linear(types.shape(tensor.type)).invert_and_compose(
        memory.encoding.linear(memory.shape)
    )
    return to_offset.num_consecutive() > 1
