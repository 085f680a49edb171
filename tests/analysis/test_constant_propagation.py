"""Sparse conditional constant propagation: constants and dead code, found together."""

from __future__ import annotations

import pytest

from weft.analysis.constant_propagation import Constant, ConstantPropagation
from weft.ir import arith, tt
from weft.ir.attributes import integer, number
from weft.ir.builtin import ModuleOp, SSAValue
from weft.ir.folding import IN_PLACE
from weft.ir.text import parse_module, print_module
from weft.ir.types import i32
from weft.ir.ub import PoisonAttr, PoisonOp

HEAD = """
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %true = arith.constant true
  %false = arith.constant false"""


def analyse(body: str, rest: str = "") -> tuple[ConstantPropagation, ModuleOp]:
    module = parse_module(
        f"tt.func public @k(%n: i32, %c: i1) {{{HEAD}\n{body}\n  tt.return\n}}\n{rest}"
    )
    analysis = ConstantPropagation()
    analysis.run(module)
    return analysis, module


def constants(body: str, rest: str = "") -> dict[str, int | float | None]:
    """Compute the constant of each named value, None if it is not known to be one."""
    analysis, module = analyse(body, rest)
    result: dict[str, int | float | None] = {}
    for value in values(module):
        constant = analysis.constant(value)
        if value.name_hint is not None:
            result[value.name_hint] = None if constant is None else number(constant.value)
    return result


def values(module: ModuleOp) -> list[SSAValue]:
    results: list[SSAValue] = []
    for op in module.walk():
        results += op.results
        results += [arg for region in op.regions for block in region.blocks for arg in block.args]
    return results


def is_live(body: str) -> dict[str, bool]:
    """Check for each named constant of a body whether its block can run."""
    analysis, module = analyse(body)
    return {
        op.results[0].name_hint or "": op.parent is not None and analysis.is_live(op.parent)
        for op in module.walk()
        if isinstance(op, arith.ConstantOp)
    }


def test_folds_see_constants_that_are_not_in_the_ir():
    body = """
  %r = scf.if %true -> (i32) {
    scf.yield %c2 : i32
  } else {
    %dead = arith.constant 7 : i32
    scf.yield %n : i32
  }
  %s = arith.addi %r, %c1 : i32
  %t = arith.addi %n, %c1 : i32
  %u = arith.muli %n, %c0 : i32"""
    results = constants(body)
    assert (results["r"], results["s"], results["t"], results["u"]) == (2, 3, None, 0)
    assert not is_live(body)["dead"]


@pytest.mark.parametrize(
    ("condition", "result", "live"),
    [("%true", 1, (True, False)), ("%false", 2, (False, True)), ("%c", None, (True, True))],
)
def test_conditionals_and_branches(condition, result, live):
    conditional = f"""
  %r = scf.if {condition} -> (i32) {{
    %left = arith.constant 1 : i32
    scf.yield %left : i32
  }} else {{
    %right = arith.constant 2 : i32
    scf.yield %right : i32
  }}"""
    branch = f"""
  cf.cond_br {condition}, ^bb1, ^bb2
^bb1:
  %left = arith.constant 1 : i32
  cf.br ^bb3(%left : i32)
^bb2:
  %right = arith.constant 2 : i32
  cf.br ^bb3(%right : i32)
^bb3(%r: i32):"""
    for body in (conditional, branch):
        assert constants(body)["r"] == result
        results = is_live(body)
        assert (results["left"], results["right"]) == live


def loop(upper: str, yielded: str) -> str:
    return f"""
  %r = scf.for %i = %c0 to {upper} step %c1 iter_args(%a = %c2) -> (i32) : i32 {{
    %inside = arith.constant 3 : i32
    scf.yield {yielded} : i32
  }}"""


@pytest.mark.parametrize(
    ("upper", "yielded", "argument", "result", "runs"),
    [
        ("%c0", "%inside", None, 2, False),  # no iteration: the initial value
        ("%c1", "%inside", 2, 3, True),  # one: the initial value inside, the yielded one after
        ("%c3", "%inside", None, 3, True),  # several: both inside, the yielded one after
        ("%n", "%inside", None, None, True),  # any number: both, inside and after
        ("%n", "%a", 2, 2, True),
        ("%n", "%c2", 2, 2, True),
        ("%c1", "%n", 2, None, True),
    ],
)
def test_loops_by_their_trip_count(upper, yielded, argument, result, runs):
    body = loop(upper, yielded)
    results = constants(body)
    assert (results["a"], results["r"]) == (argument, result)
    assert results["i"] is None
    assert is_live(body)["inside"] == runs


@pytest.mark.parametrize(
    ("condition", "result", "after"),
    [("%false", 2, False), ("%true", None, True), ("%c", 2, True)],
)
def test_while_loops(condition, result, after):
    body = f"""
  %r = scf.while (%a = %c2) : (i32) -> i32 {{
    scf.condition({condition}) %a : i32
  }} do {{
  ^bb0(%b: i32):
    %inside = arith.constant 2 : i32
    scf.yield %inside : i32
  }}"""
    results = constants(body)
    assert (results["a"], results["r"]) == (2, result)
    assert is_live(body)["inside"] == after


def test_a_condition_that_becomes_constant():
    """The condition is known only once the loop is known to carry one constant."""
    body = """
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c2) -> (i32) : i32 {
    %even = arith.cmpi eq, %a, %c2 : i32
    %b = scf.if %even -> (i32) {
      scf.yield %a : i32
    } else {
      %dead = arith.constant 9 : i32
      scf.yield %dead : i32
    }
    scf.yield %b : i32
  }"""
    assert constants(body)["r"] == 2
    assert not is_live(body)["dead"]


CALLEE = """
tt.func private @f(%x: i32) -> i32 attributes {noinline = true} {
  %one = arith.constant 1 : i32
  %y = arith.addi %x, %one : i32
  tt.return %y : i32
}
tt.func public @g(%z: i32) -> i32 {
  %five = arith.constant 5 : i32
  tt.return %five : i32
}"""


def test_calls():
    body = "  %p = tt.call @f(%c2) : (i32) -> i32\n  %q = tt.call @f(%c2) : (i32) -> i32"
    results = constants(body, CALLEE)
    assert (results["x"], results["y"], results["p"], results["q"]) == (2, 3, 3, 3)
    other = constants(body.replace("%q = tt.call @f(%c2)", "%q = tt.call @f(%c3)"), CALLEE)
    assert (other["x"], other["p"]) == (None, None)
    public = constants("  %p = tt.call @g(%c2) : (i32) -> i32", CALLEE)
    assert (public["z"], public["p"]) == (None, 5)


def test_poison_is_a_constant_of_its_class():
    analysis, module = analyse("  %p = ub.poison : i32\n  %q = arith.addi %p, %n : i32")
    poison = next(op for op in module.walk() if isinstance(op, PoisonOp))
    constant = analysis.constant(poison.results[0])
    assert constant == Constant(PoisonOp, PoisonAttr())
    assert constant is not None
    copy = constant.materialize(poison.results[0].type)
    assert isinstance(copy, PoisonOp)
    assert copy.parent is None


def test_several_results_are_folded_at_once():
    tensor = "tensor<32x2xi32>"
    module = parse_module(
        f"tt.func public @k(%t: {tensor}) {{{HEAD}\n"
        f"  %a, %b = tt.split %t : {tensor} -> tensor<32xi32>\n  tt.return\n}}"
    )
    (split,) = (op for op in module.walk() if isinstance(op, tt.SplitOp))
    one, two = (integer(number, i32) for number in (1, 2))
    analysis = ConstantPropagation({tt.SplitOp: lambda op: (one, two)})
    analysis.run(module)
    assert [analysis.constant(result) for result in split.results] == [
        Constant(arith.ConstantOp, one),
        Constant(arith.ConstantOp, two),
    ]


def test_a_fold_leaves_the_ir_as_it_is():
    module = parse_module(f"tt.func public @k(%n: i32, %m: i32) {{{HEAD}\n"
                          "  %x = arith.addi %n, %m : i32\n"
                          "  %y = arith.addi %n, %c1 : i32\n  tt.return\n}")  # fmt: skip
    text = print_module(module)

    def swap(op):
        op.operands = op.operands[::-1]
        return IN_PLACE

    analysis = ConstantPropagation({arith.AddIOp: swap})
    analysis.run(module)
    assert print_module(module) == text
    adds = [op for op in module.walk() if isinstance(op, arith.AddIOp)]
    assert not any(analysis.constant(add.results[0]) for add in adds)


@pytest.mark.parametrize(("index", "value"), [(0, None), (1, 2)])
def test_a_fold_may_return_an_operand(index, value):
    module = parse_module(
        f"tt.func public @k(%n: i32) {{{HEAD}\n  %x = arith.addi %n, %c2 : i32\n  tt.return\n}}"
    )
    (add,) = (op for op in module.walk() if isinstance(op, arith.AddIOp))
    analysis = ConstantPropagation({arith.AddIOp: lambda op: op.operands[index]})
    analysis.run(module)
    constant = analysis.constant(add.results[0])
    assert (constant and number(constant.value)) == value


def test_operations_without_a_fold_and_with_regions_are_unknown():
    body = """
  %p = tt.get_program_id x : i32
  %t = tt.splat %c1 : i32 -> tensor<32xi32>
  %r = "tt.reduce"(%t) <{axis = 0 : i32}> ({
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %c1, %c2 : i32
    tt.reduce.return %s : i32
  }) : (tensor<32xi32>) -> i32"""
    results = constants(body)
    assert (results["p"], results["r"], results["x"], results["s"]) == (None, None, None, 3)
