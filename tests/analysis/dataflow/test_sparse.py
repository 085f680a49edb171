"""The sparse solver, with the analysis of its worked example: powers of two that divide a value."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from typing_extensions import override

from weft.analysis.dataflow import Edge, SparseForwardAnalysis
from weft.ir import arith, scf, tt
from weft.ir.attributes import number
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.text import parse_module

INFINITY = 1 << 40


class Divisibility(SparseForwardAnalysis[int]):
    """The greatest known power of two that divides each value; records what it visits."""

    def __init__(self) -> None:
        super().__init__()
        self.visited: list[Operation] = []

    @override
    def join(self, first: int, second: int) -> int:
        return min(first, second)

    @override
    def entry_state(self, value: SSAValue) -> int:
        return 1

    @override
    def visit_operation(self, op: Operation) -> None:
        self.visited.append(op)
        if isinstance(op, arith.ConstantOp):
            value = number(op.properties["value"])
            assert isinstance(value, int)
            self.update(op.results[0], value & -value if value else INFINITY)
        elif isinstance(op, arith.AddIOp):
            states = [self.states.get(operand) for operand in op.operands]
            if None not in states:
                self.update(op.results[0], min(state for state in states if state))
        else:
            self.set_to_entry_state(op.results)


def analyse(text: str) -> tuple[Divisibility, dict[str, int | None]]:
    """Analyse a module; return the state of each argument and result by its name."""
    module = parse_module(text)
    analysis = Divisibility()
    analysis.run(module)
    return analysis, {
        value.name_hint: analysis.states.get(value)
        for value in values(module)
        if value.name_hint is not None
    }


def values(module: ModuleOp) -> list[SSAValue]:
    result: list[SSAValue] = []
    for op in module.walk():
        result += op.results
        result += [arg for region in op.regions for block in region.blocks for arg in block.args]
    return result


def kernel(body: str, rest: str = "") -> str:
    return f"""
tt.func public @k(%n: i32, %c: i1) {{
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %c4 = arith.constant 4 : i32
{body}
  tt.return
}}
{rest}"""


LOOP = """
  %r = scf.for %i = %c0 to %n step %c8 iter_args(%a = %c0) -> (i32) : i32 {
    %b = arith.addi %a, %c8 : i32
    scf.yield %b : i32
  }
  %after = arith.addi %r, %c4 : i32"""


def test_a_loop_reaches_the_fixpoint():
    analysis, states = analyse(kernel(LOOP))
    assert (states["a"], states["b"], states["r"], states["after"]) == (8, 8, 8, 4)
    assert states["i"] == 1  # the solver does not know what the loop counts
    # The body is visited twice, what follows the loop once: with the state of the fixpoint.
    results = [op.results[0].name_hint for op in analysis.visited if op.results]
    assert results == ["c0", "c8", "c4", "b", "b", "after"]


def test_regions_of_a_conditional_join():
    body = """
  %r = scf.if %c -> (i32) {
    scf.yield %c8 : i32
  } else {
    scf.yield %c4 : i32
  }"""
    assert analyse(kernel(body))[1]["r"] == 4


def test_a_while_loop_passes_values_through_both_regions():
    body = """
  %r = scf.while (%a = %c0) : (i32) -> i32 {
    scf.condition(%c) %a : i32
  } do {
  ^bb0(%b: i32):
    %d = arith.addi %b, %c8 : i32
    scf.yield %d : i32
  }"""
    states = analyse(kernel(body))[1]
    assert (states["a"], states["b"], states["d"], states["r"]) == (8, 8, 8, 8)


def test_block_arguments_join_over_branches():
    body = """
  cf.cond_br %c, ^bb1(%c8 : i32), ^bb2
^bb1(%a: i32):
  %b = arith.addi %a, %c4 : i32
  cf.cond_br %c, ^bb1(%b : i32), ^bb2
^bb2:"""
    states = analyse(kernel(body))[1]
    assert (states["a"], states["b"]) == (4, 4)


def test_a_reduction_sets_its_arguments_and_results_itself():
    body = """
  %t = tt.splat %c8 : i32 -> tensor<32xi32>
  %r = "tt.reduce"(%t) <{axis = 0 : i32}> ({
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    tt.reduce.return %s : i32
  }) : (tensor<32xi32>) -> i32"""
    states = analyse(kernel(body))[1]
    assert (states["x"], states["s"], states["r"]) == (1, 1, 1)


CALLEE = """
tt.func private @f(%x: i32) -> i32 attributes {noinline = true} {
  %c16 = arith.constant 16 : i32
  %y = arith.addi %x, %c16 : i32
  tt.return %y : i32
}
tt.func private @never_called(%z: i32) {
  %w = arith.addi %z, %z : i32
  tt.return
}"""


def test_arguments_join_over_calls_and_results_over_returns():
    body = """
  %r = tt.call @f(%c8) : (i32) -> i32
  %q = tt.call @f(%c4) : (i32) -> i32"""
    states = analyse(kernel(body, CALLEE))[1]
    assert (states["x"], states["y"], states["r"], states["q"]) == (4, 4, 4, 4)
    assert states["z"] is None
    assert states["w"] is None


def test_a_second_call_uses_the_known_results_of_the_callee():
    """The second call changes no argument, so the callee is not visited again for it."""
    body = """
  %r = tt.call @f(%c8) : (i32) -> i32
  %q = tt.call @f(%c8) : (i32) -> i32"""
    states = analyse(kernel(body, CALLEE))[1]
    assert (states["r"], states["q"]) == (8, 8)


def test_results_of_an_external_call_are_unknown():
    body = "  %r = tt.call @g(%c8) : (i32) -> i32"
    assert analyse(kernel(body, "tt.func private @g(i32) -> i32"))[1]["r"] == 1
    assert analyse(kernel(body.replace("@g", "@missing")))[1]["r"] == 1


def test_recursion_reaches_a_fixpoint():
    recursive = CALLEE.replace("%y = ", "%v = tt.call @f(%x) : (i32) -> i32\n  %y = ")
    states = analyse(kernel("  %r = tt.call @f(%c8) : (i32) -> i32", recursive))[1]
    assert (states["x"], states["r"]) == (8, 8)


class FirstRegionOnly(Divisibility):
    """Follows only the first edge of a conditional."""

    @override
    def live_edges(self, op: Operation, edges: Sequence[Edge]) -> Sequence[Edge]:
        return edges[:1] if isinstance(op, scf.IfOp) else edges


def test_excluded_edges_make_dead_code():
    body = """
  %r = scf.if %c -> (i32) {
    scf.yield %c8 : i32
  } else {
    %dead = arith.addi %c4, %c4 : i32
    scf.yield %dead : i32
  }"""
    module = parse_module(kernel(body))
    analysis = FirstRegionOnly()
    analysis.run(module)
    (conditional,) = (op for op in module.walk() if isinstance(op, scf.IfOp))
    assert analysis.states[conditional.results[0]] == 8
    assert [analysis.is_live(region.block) for region in conditional.regions] == [True, False]
    assert not any(op.parent is conditional.regions[1].block for op in analysis.visited)


@pytest.mark.parametrize("state", [None, 8, 16])
def test_an_unchanged_state_visits_no_users(state):
    module = parse_module(kernel("  %x = arith.addi %c8, %c8 : i32"))
    analysis = Divisibility()
    analysis.run(module)
    function = module.body.block.first_op
    assert isinstance(function, tt.FuncOp)
    (eight,) = (value for value in values(module) if value.name_hint == "c8")
    visits = len(analysis.visited)
    assert not analysis.update(eight, state)
    analysis.solve()
    assert len(analysis.visited) == visits
    assert analysis.update(eight, 2)
    analysis.solve()
    assert len(analysis.visited) == visits + 1
