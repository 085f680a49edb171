"""The dense solver, with the analysis of its worked example: buffers written since a barrier."""

from __future__ import annotations

from typing_extensions import override

from weft.analysis.dataflow import DenseForwardAnalysis
from weft.ir import tt, ttg
from weft.ir.builtin import Operation
from weft.ir.text import parse_module

Written = frozenset[str]


class WrittenSinceBarrier(DenseForwardAnalysis[Written]):
    """`tt.print "x"` writes x, `tt.print "?x"` adds a barrier if x was written."""

    def __init__(self) -> None:
        self.before: dict[str, Written] = {}
        self.visits: list[str] = []

    @override
    def join(self, first: Written, second: Written) -> Written:
        return first | second

    @override
    def visit_operation(self, op: Operation, before: Written) -> Written:
        if isinstance(op, ttg.BarrierOp):
            return frozenset()
        if not isinstance(op, tt.PrintOp):
            return before
        name = op.prefix.data.strip()
        self.before[name] = before
        self.visits.append(name)
        if name.startswith("?"):
            return frozenset() if name[1:] in before else before
        return before | {name}


def analyse(body: str) -> tuple[WrittenSinceBarrier, Written]:
    """Analyse a function; a line `@x` in its body is a write of x."""
    lines = [
        f'tt.print "{line.strip()[1:]}" {{hex = false, isSigned = array<i32>}}'
        if line.strip().startswith("@")
        else line
        for line in body.splitlines()
    ]
    text = "\n".join(lines)
    module = parse_module(
        f"tt.func public @k(%n: i32, %c: i1) {{\n%one = arith.constant 1 : i32\n{text}\n}}"
    )
    function = module.body.block.first_op
    assert isinstance(function, tt.FuncOp)
    analysis = WrittenSinceBarrier()
    return analysis, analysis.visit_region(function.body, frozenset())


def test_operations_in_order():
    analysis, after = analyse("@a\n@b\nttg.barrier local\n@c\ntt.return")
    assert analysis.before == {"a": set(), "b": {"a"}, "c": set()}
    assert after == {"c"}


def test_regions_of_a_conditional_join():
    conditional = "@a\nscf.if %c {\n@b\n} else {\nttg.barrier local\n@d\n}\n@e\ntt.return"
    analysis, _ = analyse(conditional)
    assert analysis.before["e"] == {"a", "b", "d"}


def test_a_conditional_without_else_may_be_skipped():
    analysis, _ = analyse("@a\nscf.if %c {\nttg.barrier local\n@b\n}\n@e\ntt.return")
    assert analysis.before["e"] == {"a", "b"}


def test_a_loop_joins_its_end_into_its_start():
    loop = "@a\nscf.for %i = %n to %n step %one : i32 {\n@b\n@c\n}\n@e\ntt.return"
    analysis, _ = analyse(loop)
    assert analysis.before["b"] == {"a", "b", "c"}
    assert analysis.before["e"] == {"a", "b", "c"}
    assert analysis.visits == ["a", "b", "c", "b", "c", "e"]


def test_a_loop_may_run_no_iteration():
    loop = "@a\nscf.for %i = %n to %n step %one : i32 {\nttg.barrier local\n@b\n}\n@e\ntt.return"
    assert analyse(loop)[0].before["e"] == {"a", "b"}


def test_a_while_loop_ends_in_its_first_region():
    loop = """@a
    scf.while : () -> () {
      @b
      scf.condition(%c)
    } do {
      @d
      scf.yield
    }
    @e
    tt.return"""
    analysis, _ = analyse(loop)
    assert analysis.before["b"] == {"a", "b", "d"}
    assert analysis.before["d"] == {"a", "b", "d"}
    assert analysis.before["e"] == {"a", "b", "d"}


def test_blocks_join_at_their_entry():
    blocks = """@a
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    @b
    cf.br ^bb3
  ^bb2:
    ttg.barrier local
    cf.br ^bb3
  ^bb3:
    @d
    cf.cond_br %c, ^bb2, ^bb4
  ^bb4:
    @e
    tt.return"""
    analysis, after = analyse(blocks)
    assert analysis.before["d"] == {"a", "b"}
    assert analysis.before["e"] == {"a", "b", "d"}
    assert after == {"a", "b", "d", "e"}


def test_states_before_the_fixpoint_are_discarded():
    """In the second iteration `?b` has a barrier, so nothing reaches the operations after it."""
    loop = """scf.for %i = %n to %n step %one : i32 {
      @?b
      scf.if %c {
        @x
      }
      @b
    }
    tt.return"""
    analysis, _ = analyse(loop)
    assert analysis.before["?b"] == {"x", "b"}
    assert analysis.before["x"] == set()
    assert analysis.before["b"] == {"x"}


def test_a_region_without_exit_leaves_its_entry_state():
    analysis, after = analyse("cf.br ^bb1\n^bb1:\n@a\ncf.br ^bb1")
    assert analysis.before["a"] == {"a"}
    assert after == set()


def test_an_unreachable_block_is_not_visited():
    analysis, _ = analyse("@a\ntt.return\n^bb1:\n@b\ncf.br ^bb1")
    assert analysis.visits == ["a"]


def test_a_region_that_runs_once():
    analysis, _ = analyse("@a\nscf.execute_region {\n@b\nscf.yield\n}\n@d\ntt.return")
    assert analysis.before["d"] == {"a", "b"}
