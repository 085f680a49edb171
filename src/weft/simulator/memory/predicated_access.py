"""ld.global and st.global with a predicate: where it is false, a load keeps what it is tied to."""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Operand, Step
from weft.simulator.llvm_ir.types import Type, dtype_of
from weft.simulator.registry import Call, assembly

__all__: list[str] = []

_EVICT = r"\.L1::evict_(?:first|last)"


@assembly(r"createpolicy\.fractional\.L2::evict_(?:first|last)\.b64 \$0, 1\.0;")
def _policy(call: Call) -> Step:
    """Return zero for a policy: what caches keep changes no result."""
    return lambda block: block.set(call.result, np.zeros(1, np.int64))


@assembly(
    r"(?:@\$(?P<guard>\d+) )?(?P<word>ld|st)(?:\.volatile)?\.global"
    rf"(?:\.(?:ca|cg|cs|cv|wb|wt)|{_EVICT}(?P<hint>\.L2::cache_hint))?(?:\.v(?P<count>[248]))?"
    r"\.b(?P<bits>8|16|32|64) (?:\{?[$\d, ]+?\}?, \[\$(?P<source>\d+)\]|"
    r"\[\$(?P<target>\d+)\], (?:\{[$\d, ]+\}|\$\d+))(?P<policy>, \$\d+)?;"
)
def _access(call: Call) -> Step:
    """Return a load or store as a step.

    Raises: CodegenError: a policy of caches that is not used, or one that is not given.
    """
    if bool(call.match["hint"]) != bool(call.match["policy"]):
        raise CodegenError("a cache hint goes with a policy", found=call.match[0])
    name, count = call.match, int(call.match["count"] or 1)
    guard = None if name["guard"] is None else call.numbered(name["guard"])
    word = Type(f"i{name['bits']}")
    if name["word"] == "ld":
        return _load(call, word, count, call.numbered(name["source"]), guard)
    return _store(call, word, count, call.numbered(name["target"]), guard)


def _guarded(block: Block, guard: Operand | None) -> np.ndarray:
    if guard is None:
        return block.mask
    return block.mask & np.broadcast_to(block.get(guard), block.threads)


def _load(call: Call, word: Type, count: int, pointer: Operand, guard: Operand | None) -> Step:
    """Read `count` words; the first `count` operands are what the other threads keep."""
    vector = Type(word.name, count)

    def step(block: Block) -> None:
        mask = _guarded(block, guard)
        block.memory.traffic.add("load", word.bytes_each * count, block.warps)
        size = word.bytes_each * count
        loaded = block.memory.load(vector, block.get(pointer), mask, aligned=size)
        members = []
        for n in range(count):
            kept, type_ = call.operands[n]
            new = loaded[:, n].astype(dtype_of(type_))
            members.append(np.where(mask, new, np.broadcast_to(block.get(kept), block.threads)))
        if count == 1:
            block.set(call.result, members[0])
        else:
            block.set_members(call.result, tuple(members))

    return step


def _store(call: Call, word: Type, count: int, pointer: Operand, guard: Operand | None) -> Step:
    vector = Type(word.name, count)

    def step(block: Block) -> None:
        mask = _guarded(block, guard)
        block.memory.traffic.add("store", word.bytes_each * count, block.warps)
        columns = [
            np.broadcast_to(block.get(value), block.threads).astype(dtype_of(word))
            for value in call.arguments[:count]
        ]
        values, size = np.stack(columns, axis=1), word.bytes_each * count
        block.memory.store(vector, block.get(pointer), values, mask, aligned=size)

    return step
