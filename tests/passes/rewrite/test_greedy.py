"""The greedy driver: order of visits, iterations, limits and convergence."""

from __future__ import annotations

import pytest

from weft.ir import arith
from weft.ir.builtin import Operation
from weft.ir.folds import FOLDS
from weft.ir.text import parse_module, print_module
from weft.passes.rewrite.greedy import (
    NO_LIMIT,
    RewriteResult,
    RewriteRules,
    apply_from_seeds,
    apply_greedily,
    apply_single_iteration,
)
from weft.passes.rewrite.rewriter import Rewriter

NESTED = """
tt.func public @f(%x: i32, %c: i1, %p: !tt.ptr<i32>) {
  %a = arith.addi %x, %x : i32
  scf.if %c {
    %b = arith.muli %a, %x : i32
    tt.store %p, %b : !tt.ptr<i32>
  }
  %d = arith.subi %a, %x : i32
  tt.store %p, %d : !tt.ptr<i32>
  tt.return
}
"""
DEAD = """
tt.func public @f(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = arith.muli %a, %x : i32
  %c = arith.subi %x, %x : i32
  tt.return %c : i32
}
"""


def visits(*, top_down: bool) -> list[str]:
    """List the arithmetic operations of NESTED in the order of visits."""
    names: list[str] = []

    def visit(op: Operation, rewriter: Rewriter) -> bool:
        names.append(op.name)
        return False

    patterns = dict.fromkeys((arith.AddIOp, arith.MulIOp, arith.SubIOp), (visit,))
    result = apply_greedily(parse_module(NESTED), RewriteRules({}, patterns, top_down=top_down))  # pyright: ignore[reportArgumentType]
    assert result == RewriteResult(changed=False, converged=True)
    return names


def test_order_of_visits():
    assert visits(top_down=True) == ["arith.addi", "arith.muli", "arith.subi"]
    assert visits(top_down=False) == ["arith.subi", "arith.muli", "arith.addi"]


def test_dead_operations_are_erased_and_others_folded():
    module = parse_module(DEAD)
    assert apply_greedily(module, RewriteRules(FOLDS)) == RewriteResult(True, True)
    text = print_module(module)
    assert "arith.constant 0" in text
    assert not any(name in text for name in ("addi", "muli", "subi"))


def swap(op: Operation, rewriter: Rewriter) -> bool:
    """Swap the operands; this never converges."""
    first, second = op.operands
    rewriter.set_operand(op, 0, second)
    rewriter.set_operand(op, 1, first)
    return True


@pytest.mark.parametrize(("iterations", "rewrites"), [(1, 3), (2, 5)])
def test_limits(iterations, rewrites):
    calls = 0

    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        nonlocal calls
        calls += 1
        return swap(op, rewriter)

    rules = RewriteRules(
        {}, {arith.SubIOp: (pattern,)}, max_iterations=iterations, max_rewrites=rewrites
    )
    result = apply_greedily(parse_module(NESTED), rules)
    assert result == RewriteResult(changed=True, converged=False)
    assert calls == iterations * rewrites


def test_no_iteration():
    rules = RewriteRules(FOLDS, max_iterations=0)
    assert apply_greedily(parse_module(DEAD), rules) == RewriteResult(False, False)


def test_patterns_are_tried_in_order_until_one_applies():
    calls: list[str] = []

    def pattern(name: str, applies: bool):
        def apply(op: Operation, rewriter: Rewriter) -> bool:
            calls.append(name)
            if applies:
                rewriter.replace(op, (op.operands[0],))
            return applies

        return apply

    table = {arith.SubIOp: (pattern("a", False), pattern("b", True), pattern("c", True))}
    apply_greedily(parse_module(NESTED), RewriteRules({}, table, max_iterations=NO_LIMIT))  # pyright: ignore[reportArgumentType]
    assert calls == ["a", "b"]


def test_one_iteration_reaches_the_fixpoint_of_folds():
    module = parse_module(DEAD)
    assert apply_single_iteration(module, RewriteRules(FOLDS))
    assert not apply_single_iteration(module, RewriteRules(FOLDS))
    assert "arith.constant 0" in print_module(module)


def test_seeds_limit_what_is_visited():
    module = parse_module(NESTED)
    names: list[str] = []

    def visit(op: Operation, rewriter: Rewriter) -> bool:
        names.append(op.name)
        return False

    table = dict.fromkeys((arith.AddIOp, arith.MulIOp, arith.SubIOp), (visit,))
    seeds = [op for op in module.walk() if isinstance(op, arith.MulIOp)]
    assert not apply_from_seeds(module, RewriteRules({}, table), seeds)  # pyright: ignore[reportArgumentType]
    assert names == ["arith.muli"]
