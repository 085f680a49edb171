"""Postorder and the dominator tree of control-flow graphs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.ir.builtin import Block, Region
from weft.ir.dominance import dominator_tree, is_before_in_block, postorder, successors
from weft.ir.rewriting import Builder
from weft.ir.ub import PoisonOp

Graph = dict[int, tuple[int, ...]]


def region(graph: Graph) -> tuple[Region, list[Block]]:
    """Build a region whose block n branches to `graph[n]`."""
    blocks = [Block() for _ in graph]
    for number, targets in graph.items():
        # Any operation can carry successors here: nothing verifies it.
        Builder().at_end(blocks[number]).create(
            PoisonOp, successors=[blocks[target] for target in targets]
        )
    return Region(blocks), blocks


def tree(graph: Graph) -> dict[int, set[int]]:
    body, blocks = region(graph)
    number = {block: index for index, block in enumerate(blocks)}
    children = dominator_tree(body)
    return {number[parent]: {number[b] for b in below} for parent, below in children.items()}


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        ({0: ()}, {}),
        ({0: (1,), 1: ()}, {0: {1}}),
        ({0: (1, 2), 1: (3,), 2: (3,), 3: ()}, {0: {1, 2, 3}}),
        ({0: (1,), 1: (2, 3), 2: (1,), 3: ()}, {0: {1}, 1: {2, 3}}),
        ({0: (1,), 1: (), 2: (1,)}, {0: {1}}),
        ({0: (1, 2), 1: (3, 4), 2: (4,), 3: (5,), 4: (5,), 5: ()}, {0: {1, 2, 4, 5}, 1: {3}}),
        # The graph of the paper's figure 4, which needs more than one pass.
        (
            {0: (1, 2), 1: (3,), 2: (4, 5), 3: (4,), 4: (3, 5), 5: (4,)},
            {0: {1, 2, 3, 4, 5}},
        ),
    ],
)
def test_dominator_tree(graph: Graph, expected: dict[int, set[int]]) -> None:
    assert tree(graph) == expected


def test_an_empty_region() -> None:
    assert postorder(Region()) == []
    assert dominator_tree(Region()) == {}


def test_postorder_lists_successors_first() -> None:
    body, blocks = region({0: (1, 2), 1: (3,), 2: (3,), 3: ()})
    assert postorder(body) == [blocks[3], blocks[1], blocks[2], blocks[0]]
    assert successors(blocks[0]) == (blocks[1], blocks[2])
    assert successors(Block()) == ()


def reachable(graph: Graph, without: int | None) -> set[int]:
    visited: set[int] = set()
    stack = [0]
    while stack:
        node = stack.pop()
        if node not in visited and node != without:
            visited.add(node)
            stack += graph[node]
    return visited


@given(st.data())
def test_the_tree_is_that_of_the_definition(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 8))
    node = st.integers(0, count - 1)
    graph = {n: tuple(data.draw(st.lists(node, max_size=3))) for n in range(count)}
    parents = {child: parent for parent, below in tree(graph).items() for child in below}
    everything = reachable(graph, None)
    assert set(parents) == everything - {0}
    for child in parents:
        # A block dominates another one if no path from the entry avoids it.
        dominators = {d for d in everything if d != child and child not in reachable(graph, d)}
        above: set[int] = set()
        ancestor = child
        while ancestor in parents:
            ancestor = parents[ancestor]
            above.add(ancestor)
        assert above == dominators


def test_order_in_a_block():
    def operation() -> PoisonOp:
        return Builder().create(PoisonOp)

    block = Block([operation() for _ in range(5)])
    ops = list(block.ops)
    for i, op in enumerate(ops):
        for j, other in enumerate(ops):
            assert is_before_in_block(op, other) is (i < j)
    elsewhere = Block([operation()]).first_op
    assert elsewhere is not None
    assert not is_before_in_block(ops[0], elsewhere)
    assert not is_before_in_block(elsewhere, ops[0])
    assert not is_before_in_block(operation(), operation())  # in no block
