"""Narrow the layouts of accesses that their masks split, where that lowers the counted cost.

    #blocked, sizePerThread = [4], one mask bit per element      4 accesses of 16 sectors
    #blocked1, sizePerThread = [1]                               4 accesses of 4 sectors

A replacement is for the whole function. One that is not legal, or whose cost is not smaller, is
undone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from weft.ir import tt, types
from weft.ir.rewriting import walk
from weft.layouts import BlockedEncoding
from weft.optimum.costs import FunctionCost, OperationCosts
from weft.optimum.layout_replacement import replace_layout

__all__ = ["narrow_masked_accesses"]

_Undo = Callable[[], None]


def narrow_masked_accesses(
    function: tt.FuncOp, costs: OperationCosts, cost_of: FunctionCost
) -> Callable[[], None]:
    """Replace layouts in place.

    Args:
        function: The function.
        costs: The costs of its operations.
        cost_of: Adds them up.

    Returns:
        A function that undoes all replacements.
    """
    replacements: list[_Undo] = []
    for encoding in _split_layouts(function, costs):
        undo = _narrow(function, encoding, costs, cost_of)
        if undo is not None:
            replacements.append(undo)

    def undo_all() -> None:
        for undo in reversed(replacements):
            undo()

    return undo_all


def _split_layouts(function: tt.FuncOp, costs: OperationCosts) -> list[BlockedEncoding]:
    """List the layouts of accesses in which the mask has several bits for a thread's vector."""
    facts = costs.context.facts
    layouts: dict[BlockedEncoding, None] = {}
    for op in walk(function):
        addresses = costs.addresses.get(op)
        mask = getattr(op, "mask", None)
        if addresses is None or mask is None:
            continue
        encoding = types.encoding(addresses.pointers.type)
        if not isinstance(encoding, BlockedEncoding):
            continue
        if facts.mask_alignment(mask) < encoding.size_per_thread[encoding.order[0]]:
            layouts[encoding] = None
    return list(layouts)


def _narrow(
    function: tt.FuncOp, encoding: BlockedEncoding, costs: OperationCosts, cost_of: FunctionCost
) -> _Undo | None:
    """Replace a layout by the cheapest narrower one, if one is cheaper."""
    best, least = encoding, cost_of(function, costs)
    for narrower in _narrowings(encoding):
        undo = replace_layout(function, encoding, narrower, costs)
        if undo is None:
            continue
        cost = cost_of(function, costs)
        undo()
        if cost < least:
            best, least = narrower, cost
    if best is encoding:
        return None
    return replace_layout(function, encoding, best, costs)


def _narrowings(encoding: BlockedEncoding) -> Iterator[BlockedEncoding]:
    """Yield layouts with fewer elements per thread along the fastest dimension.

    Lanes of the other dimensions take the place of the elements, as far as there are any.
    """
    fastest, *others = encoding.order
    size = encoding.size_per_thread[fastest]
    while size > 1:
        size //= 2
        sizes = list(encoding.size_per_thread)
        sizes[fastest] = size
        yield replace(encoding, size_per_thread=tuple(sizes))
        threads = list(encoding.threads_per_warp)
        factor = encoding.size_per_thread[fastest] // size
        for dim in others:
            moved = min(factor, threads[dim])
            threads[dim] //= moved
            threads[fastest] *= moved
            factor //= moved
        if tuple(threads) != encoding.threads_per_warp:
            yield replace(encoding, size_per_thread=tuple(sizes), threads_per_warp=tuple(threads))
