"""Bring the signals of warp-specialized IR into one order.

Triton's warp specialization on Hopper visits channels in the order of their addresses, so the
order of what it inserts at one place differs between two runs of it on the same kernel:

    memdesc_index %empty_b; arrive_barrier        memdesc_index %empty_a; arrive_barrier
    memdesc_index %empty_a; arrive_barrier        memdesc_index %empty_b; arrive_barrier

Each arrival is at a separate mbarrier, so every order means the same. Likewise, it has constants
for each channel, and which of two equal ones a channel uses depends on the order.
"""

from __future__ import annotations

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from weft.ir import arith, ttg, ttng
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import walk
from weft.ir.text import parse_module, print_module

__all__ = ["in_channel_order"]

_HOPPER = 'ttg.target = "cuda:90"'

Signal = tuple[ttg.MemDescIndexOp, ttng.ArriveBarrierOp]


def in_channel_order(text: str) -> str:
    """Sort adjacent arrivals by their mbarriers; let users of equal constants use the first.

    Args:
        text: Any IR; IR without warp specialization on Hopper stays as it is.
    """
    if "ttg.warp_specialize" not in text or _HOPPER not in text:
        return text
    module = parse_module(text)
    blocks = [block for op in walk(module) for region in op.regions for block in region.blocks]
    for block in blocks:
        _use_first_constants(block)
    positions = _positions(module)
    for block in blocks:
        for run in _runs(block):
            _sort(run, positions)
    return print_module(module)


def _use_first_constants(block: Block) -> None:
    """Replace uses of a constant by the first equal one of the block; all constants stay."""
    first: dict[tuple[object, ...], SSAValue] = {}
    for op in block.ops:
        if isinstance(op, arith.ConstantOp):
            key = (op.value, op.result.type, tuple(op.attributes.items()))
            op.result.replace_all_uses_with(first.setdefault(key, op.result))


def _positions(module: ModuleOp) -> dict[Operation | Block, int]:
    """Number operations, and blocks as the operation around them."""
    result: dict[Operation | Block, int] = {}
    for number, op in enumerate(walk(module)):
        result[op] = number
        result |= {block: number for region in op.regions for block in region.blocks}
    return result


def _runs(block: Block) -> list[list[Signal]]:
    """List the longest runs of adjacent arrivals, each with the view of its mbarrier."""
    runs: list[list[Signal]] = []
    expected: Operation | None = None
    for op in block.ops:
        following = op.next_op
        if (
            isinstance(op, ttg.MemDescIndexOp)
            and isinstance(following, ttng.ArriveBarrierOp)
            and following.operands[0] is op.results[0]
        ):
            if op is not expected:
                runs.append([])
            runs[-1].append((op, following))
            expected = following.next_op
    return runs


def _sort(run: list[Signal], positions: dict[Operation | Block, int]) -> None:
    def key(signal: Signal) -> list[tuple[int, int]]:
        return [
            (positions[value.owner], value.index if isinstance(value, BlockArgument) else 0)
            for value in signal[0].operands
        ]

    last = run[-1][1]
    end = last.next_op
    block = last.parent
    assert block is not None
    assert end is not None  # the terminator
    for op in (op for signal in sorted(run, key=key) for op in signal):
        op.detach()
        block.insert_op_before(op, end)
