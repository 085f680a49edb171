"""Control flow between operations and their regions."""

from __future__ import annotations

import pytest

from tests.ir.interfaces.programs import RECORDED, control_flow
from weft.ir import attributes, scf, ttg, types
from weft.ir.builtin import Operation, Region
from weft.ir.interfaces import RegionBranchOpInterface, RegionBranchTerminatorOpInterface
from weft.ir.rewriting import walk
from weft.ir.text import parse_module

TRUE, FALSE = attributes.boolean(True), attributes.boolean(False)
WITHOUT_INTERFACE = {"builtin.module", "tt.func", "ttg.mask"}


@pytest.mark.parametrize("name", RECORDED)
def test_every_edge_forwards_operands_to_inputs_of_their_types(name: str) -> None:
    for op in walk(parse_module(RECORDED[name])):
        if not isinstance(op, RegionBranchOpInterface):
            assert not op.regions or op.name in WITHOUT_INTERFACE
            continue
        inputs_of: dict[Region | None, object] = {}
        for edge in op.region_edges():
            assert all(operand in edge.source.operands for operand in edge.operands)
            for operand, value in edge.forwarded():
                assert operand.type == value.type
                owner = op if edge.region is None else edge.region.blocks.first
                assert value.owner is owner
            assert inputs_of.setdefault(edge.region, edge.inputs) == edge.inputs
        assert set(inputs_of) == {*op.regions, None} - unreached(op)


def unreached(op: RegionBranchOpInterface) -> set[Region | None]:
    """List what control does not reach: an absent else region, or the end of `partitions`."""
    empty: set[Region | None] = {region for region in op.regions if not region.blocks}
    if isinstance(op, ttg.WarpSpecializePartitionsOp) and not op.regions:
        empty.add(None)
    return empty


@pytest.mark.parametrize("name", RECORDED)
def test_the_terminators_of_regions_implement_their_interface(name: str) -> None:
    for op in walk(parse_module(RECORDED[name])):
        if not isinstance(op, RegionBranchOpInterface):
            continue
        for region in op.regions:
            last = region.blocks.last.last_op if region.blocks.last else None
            if last is not None and not isinstance(last, ttg.WarpSpecializePartitionsOp):
                assert any(last is each for each in op.region_terminators(region))


def targets(op: Operation, region_names: str) -> dict[str, list[str]]:
    """List the successors of the operation ("op") and of each region, named by one letter.

    "." is the point after the operation.
    """
    assert isinstance(op, RegionBranchOpInterface)
    names: dict[Region | None, str] = dict(zip(op.regions, region_names, strict=True))
    sources = {"op": None} | {name: region for region, name in names.items()}
    names[None] = "."
    return {
        key: [names[target] for target in op.successor_regions(source)]
        for key, source in sources.items()
    }


@pytest.mark.parametrize(
    ("label", "regions", "expected"),
    [
        ("for", "b", {"op": ["b", "."], "b": ["b", "."]}),
        ("while", "ba", {"op": ["b"], "b": ["a", "."], "a": ["b"]}),
        ("if-else", "te", {"op": ["t", "e"], "t": ["."], "e": ["."]}),
        ("if", "te", {"op": ["t", "."], "t": ["."], "e": ["."]}),
        ("execute", "r", {"op": ["r"], "r": ["."]}),
        ("reduce", "r", {"op": ["r", "."], "r": ["r", "."]}),
        ("map", "r", {"op": ["r", "."], "r": ["r", "."]}),
        ("specialize", "dh", {"op": ["d", "h"], "d": ["."], "h": []}),
        ("group", "pq", {"op": ["p", "q"], "p": ["."], "q": []}),
    ],
)
def test_successor_regions(label: str, regions: str, expected: dict[str, list[str]]) -> None:
    _module, ops = control_flow()
    assert targets(ops[label], regions) == expected


def test_values_that_a_for_loop_forwards() -> None:
    _module, ops = control_flow()
    loop = ops["for"]
    assert isinstance(loop, scf.ForOp)
    inits, arguments = tuple(loop.operands[3:]), tuple(loop.block.args[1:])
    yielded, results = tuple(loop.terminator.operands), tuple(loop.results)
    assert [(e.source, e.operands, e.inputs) for e in loop.region_edges()] == [
        (loop, inits, arguments),
        (loop, inits, results),
        (loop.terminator, yielded, arguments),
        (loop.terminator, yielded, results),
    ]


def test_values_that_a_while_loop_forwards() -> None:
    _module, ops = control_flow()
    loop = ops["while"]
    assert isinstance(loop, scf.WhileOp)
    condition, again = loop.condition_op, loop.yield_op
    passed = tuple(condition.arguments)
    assert len(passed) == 2
    assert [(e.source, e.operands, e.inputs) for e in loop.region_edges()] == [
        (loop, tuple(loop.operands), tuple(loop.before_block.args)),
        (condition, passed, tuple(loop.after_block.args)),
        (condition, passed, tuple(loop.results)),
        (again, tuple(again.operands), tuple(loop.before_block.args)),
    ]


def test_an_execute_region_is_left_from_each_of_its_blocks() -> None:
    _module, ops = control_flow()
    op = ops["execute"]
    assert isinstance(op, RegionBranchOpInterface)
    leaving = [edge for edge in op.region_edges() if edge.region is None]
    assert [edge.source.parent for edge in leaving] == list(op.regions[0].blocks)[1:]


def test_partitions_receive_the_captured_values() -> None:
    _module, ops = control_flow()
    op = ops["specialize"]
    assert isinstance(op, ttg.WarpSpecializeOp)
    holder = op.holder
    entries = [edge for edge in holder.region_edges() if edge.source is holder]
    assert [edge.operands for edge in entries] == [tuple(holder.operands)] * 2
    assert [edge.inputs for edge in entries] == [r.blocks[0].args for r in op.partitions]
    (leaving,) = [edge for edge in op.region_edges() if edge.region is None]
    assert isinstance(leaving.source, ttg.WarpYieldOp)
    assert leaving.operands == tuple(leaving.source.operands)
    assert leaving.inputs == tuple(op.results)


def entered(op: Operation, *constants: object) -> list[Region | None]:
    assert isinstance(op, RegionBranchOpInterface)
    return [edge.region for edge in op.entry_edges(constants)]  # pyright: ignore[reportArgumentType]


def test_a_constant_condition_selects_a_region() -> None:
    _module, ops = control_flow()
    both, only = ops["if-else"], ops["if"]
    then, otherwise = both.regions
    assert entered(both, TRUE) == [then]
    assert entered(both, FALSE) == [otherwise]
    assert entered(both, None) == [then, otherwise]
    assert entered(only, TRUE) == [only.regions[0]]
    assert entered(only, FALSE) == [None]
    loop = ops["while"]
    assert isinstance(loop, scf.WhileOp)
    condition = loop.condition_op
    after = loop.regions[1]
    assert condition.successor_regions((TRUE, None, None)) == (after,)
    assert condition.successor_regions((FALSE, None, None)) == (None,)
    assert condition.successor_regions((None, TRUE, TRUE)) == (after, None)
    assert [edge.region for edge in condition.region_edges((FALSE, None, None))] == [None]


def test_constant_bounds_decide_whether_a_for_loop_runs() -> None:
    _module, ops = control_flow()
    loop = ops["for"]
    assert isinstance(loop, scf.ForOp)
    body = loop.regions[0]

    def number(value: int) -> object:
        return attributes.integer(value, types.i32)

    rest = (None, None, None)
    assert entered(loop, number(0), number(1), *rest) == [body]
    assert entered(loop, number(1), number(1), *rest) == [None]
    assert entered(loop, number(2), number(1), *rest) == [None]
    assert entered(loop, number(-1), number(0), *rest) == [body]
    assert entered(loop, number(0), None, *rest) == [body, None]
    assert entered(loop, None, number(0), *rest) == [body, None]
    loop.properties["unsignedCmp"] = attributes.unit
    assert entered(loop, number(-1), number(0), *rest) == [None]
    assert entered(loop, number(0), number(-1), *rest) == [body]


def test_repetitive_regions() -> None:
    _module, ops = control_flow()
    repetitive = {
        label: [op.is_repetitive_region(region) for region in op.regions]
        for label, op in ops.items()
        if isinstance(op, RegionBranchOpInterface)
    }
    assert repetitive == {
        "for": [True],
        "while": [True, True],
        "if-else": [False, False],
        "if": [False, False],
        "execute": [False],
        "reduce": [True],
        "map": [True],
        "specialize": [False, False],
        "group": [False, False],
    }


def test_a_terminator_outside_of_such_an_operation_has_no_edges() -> None:
    stray = scf.YieldOp.create()
    assert isinstance(stray, RegionBranchTerminatorOpInterface)
    assert stray.successor_regions() == ()
    assert stray.region_edges() == []
