"""ld.global and st.global with a predicate, as inline PTX.

@$3 ld.global.b32 $0, [$2];      threads whose predicate is false keep the tied operand
"""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Operand, Type, dtype_of
from weft.simulator.registry import Call, assembly

__all__: list[str] = []

_EVICTION = r"\.L1::evict_(?:first|last)"


@assembly(r"createpolicy\.fractional\.L2::evict_(?:first|last)\.b64 \$0, 1\.0;")
def _create_policy(call: Call) -> Step:
    """Define a cache policy as zero: it does not change results."""
    return lambda block: block.set(call.result, np.zeros(1, np.int64))


@assembly(
    r"(?:@\$(?P<predicate>\d+) )?(?P<opcode>ld|st)(?:\.volatile)?\.global"
    rf"(?:\.(?:ca|cg|cs|cv|wb|wt)|{_EVICTION}(?P<hint>\.L2::cache_hint))?(?:\.v(?P<count>[248]))?"
    r"\.b(?P<bits>8|16|32|64) (?:\{?[$\d, ]+?\}?, \[\$(?P<source>\d+)\]|"
    r"\[\$(?P<target>\d+)\], (?:\{[$\d, ]+\}|\$\d+))(?P<policy>, \$\d+)?;"
)
def _access(call: Call) -> Step:
    """Compile a load or a store.

    Raises:
        CodegenError: A cache hint without a policy, or a policy without a hint.
    """
    match = call.match
    if bool(match["hint"]) != bool(match["policy"]):
        raise CodegenError("L2::cache_hint and a cache policy go together", found=match[0])
    count = int(match["count"] or 1)
    predicate = None if match["predicate"] is None else call.argument(match["predicate"])
    word = Type(f"i{match['bits']}")
    if match["opcode"] == "ld":
        return _load(call, word, count, call.argument(match["source"]), predicate)
    return _store(call, word, count, call.argument(match["target"]), predicate)


def _active(block: Block, predicate: Operand | None) -> np.ndarray:
    return block.active if predicate is None else block.active & block.per_thread(predicate)


def _load(call: Call, word: Type, count: int, pointer: Operand, predicate: Operand | None) -> Step:
    """Compile a load; the first `count` arguments are the values that inactive threads keep."""
    vector = Type(word.name, count)
    size = vector.size

    def step(block: Block) -> None:
        mask = _active(block, predicate)
        block.global_memory.traffic.add("load", size, block.active_warps)
        addresses = block.get(pointer)
        block.count_global("global load", size, addresses, mask)
        words = block.global_memory.load(vector, addresses, mask, alignment=size)
        registers = []
        for n in range(count):
            old, type_ = call.operands[n]
            new = words[:, n].astype(dtype_of(type_))
            registers.append(np.where(mask, new, block.per_thread(old)))
        block.set_registers(call.result, registers)

    return step


def _store(call: Call, word: Type, count: int, pointer: Operand, predicate: Operand | None) -> Step:
    vector = Type(word.name, count)
    size = vector.size

    def step(block: Block) -> None:
        mask = _active(block, predicate)
        block.global_memory.traffic.add("store", size, block.active_warps)
        block.count_global("global store", size, block.get(pointer), mask)
        words = [
            block.per_thread(operand).astype(dtype_of(word)) for operand in call.arguments[:count]
        ]
        values = np.stack(words, axis=1)
        block.global_memory.store(vector, block.get(pointer), values, mask, alignment=size)

    return step
