"""Histories of layouts: decisions, new values, cleanup passes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest
from xdsl.dialects.arith import AddiOp
from xdsl.ir import Operation

from tests.explain.modules import module_of, named, operations, required
from weft.decisions import Decision
from weft.explain.layout_history import LayoutHistory, values_with_layouts
from weft.ir import types
from weft.passes import Pass

RANGE = 'tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, LAYOUT> loc("k.py":1:0)'


def pass_named(name: str) -> Pass:
    return cast("Pass", SimpleNamespace(name=name))


def insert_before(op: Operation, new_op: Operation) -> None:
    required(op.parent).insert_op_before(new_op, op)


def history_of(*steps):
    """Record passes.

    Args:
        steps: (pass, module, decisions about values).
    """
    decisions: list[Decision] = []
    history = LayoutHistory(decisions)
    for name, module, reasons in steps:
        decisions += [
            Decision(name, "", "", reason, value=value) for value, reason in reasons.items()
        ]
        history.record_pass(pass_named(name), module)
    return history


def changes(history, value):
    return [(change.stage, change.why) for change in history.of(value)]


def ranges(*layouts: str, line: int = 1):
    lines = [
        f"%v{n} = {RANGE.replace('LAYOUT', layout).replace('1:0', f'{line}:0')}"
        for n, layout in enumerate(layouts)
    ]
    return module_of("\n".join(lines))


def value_of(module, index: int = 0):
    return operations(module, "tt.make_range")[index].results[0]


def test_values_with_layouts():
    module = module_of(
        """
    %a = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #line>
    %r = scf.for %i = %n to %n step %n iter_args(%s = %a) -> (tensor<128xi32, #line>)  : i32 {
      scf.yield %s : tensor<128xi32, #line>
    }
    %m = ttg.local_alloc : () -> !ttg.memdesc<64x64xf32, #swizzled, #smem, mutable>""",
        "%n: i32",
    )
    loop = named(module, "scf.for")
    values = [value for value, _ in values_with_layouts(module)]
    expected = [value_of(module), loop.results[0], loop.regions[0].blocks[0].args[1]]
    assert len(values) == 3
    assert all(value in values for value in expected)
    assert all(types.encoding(value.type) == e for value, e in values_with_layouts(module))


def test_a_decision_is_the_reason():
    module = ranges("#line")
    value = value_of(module)
    history = history_of(("coalesce", module, {value: "wide"}))
    (change,) = history.of(value)
    assert (change.stage, change.why, required(change.decision).value) == (
        "coalesce",
        "wide",
        value,
    )
    assert change.layout == str(types.encoding(value.type))


def test_decisions_of_earlier_passes_do_not_count_again():
    module = ranges("#line")
    value = value_of(module)
    history = history_of(("a", module, {value: "first"}), ("b", module, {}))
    assert changes(history, value) == [("a", "first")]
    history = history_of(("a", module, {value: "first"}), ("b", module, {value: "second"}))
    assert changes(history, value) == [("a", "first"), ("b", "second")]


def test_an_equal_change_is_recorded_once():
    module = ranges("#line")
    value = value_of(module)
    history = history_of(("a", module, {value: "same"}), ("a", module, {value: "same"}))
    assert changes(history, value) == [("a", "same")]
    history = history_of(("a", module, {value: "same"}), ("a", module, {value: "other"}))
    assert changes(history, value) == [("a", "same"), ("a", "other")]


def test_an_unexplained_layout():
    module = ranges("#line")
    assert changes(history_of(("a", module, {})), value_of(module)) == [("a", "")]


@pytest.mark.parametrize("cleanup", ["cse", "canonicalize", "triton-licm"])
def test_a_cleanup_pass_continues_the_history(cleanup):
    before, after = ranges("#line"), ranges("#line")
    history = history_of(("coalesce", before, {value_of(before): "wide"}), (cleanup, after, {}))
    assert changes(history, value_of(after)) == [("coalesce", "wide")]
    assert history.of(value_of(before)) == ()


def test_another_pass_that_replaces_a_value_has_no_reason():
    before, after = ranges("#line"), ranges("#line")
    history = history_of(("coalesce", before, {value_of(before): "wide"}), ("other", after, {}))
    assert changes(history, value_of(after)) == [("coalesce", "wide"), ("other", "")]


def test_of_several_erased_values_the_layout_decides():
    before, after = ranges("#line", "#narrow"), ranges("#narrow")
    first, second = value_of(before), value_of(before, 1)
    history = history_of(("a", before, {first: "line", second: "narrow"}), ("cse", after, {}))
    assert changes(history, value_of(after)) == [("a", "narrow")]
    after = ranges("#narrow")
    history = history_of(("a", before, {first: "line", second: "narrow"}), ("b", after, {}))
    assert changes(history, value_of(after)) == [("a", "narrow"), ("b", "")]


def test_a_value_of_another_operation_at_the_position():
    before = ranges("#line")
    after = module_of('%c = arith.constant dense<0> : tensor<128xi32, #line> loc("k.py":1:0)')
    history = history_of(("a", before, {value_of(before): "wide"}), ("cse", after, {}))
    assert changes(history, named(after, "arith.constant").results[0]) == [("a", "wide")]


def test_a_replaced_value_without_a_position():
    before = ranges("#line")
    after = ranges("#line", line=2)
    history = history_of(("a", before, {value_of(before): "wide"}), ("cse", after, {}))
    replaced = "cleanup: replaces a value of this type and layout"
    assert changes(history, value_of(after)) == [("cse", replaced)]


CHAIN = """
    %a = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #line>
    %b = arith.addi %a, %a : tensor<128xi32, #line>"""


def test_a_new_value_among_values_of_its_layout():
    module = module_of(CHAIN)
    value = named(module, "arith.addi").results[0]
    history = history_of(("a", module, {}))
    new_op = AddiOp(value, value)
    insert_before(named(module, "tt.return"), new_op)
    history.record_pass(pass_named("cse"), module)
    related = "cleanup: the layout of its operands or users"
    assert changes(history, new_op.results[0]) == [("cse", related)]
    assert changes(history, value) == [("a", "")]


def test_a_new_value_that_its_user_has_the_layout_of():
    module = module_of(CHAIN)
    (old_op,) = operations(module, "arith.addi")
    history = history_of(("a", module, {}))
    new_op = named(module, "tt.make_range").clone()
    insert_before(old_op, new_op)
    old_op.operands[0] = new_op.results[0]
    history.record_pass(pass_named("cse"), module)
    related = "cleanup: the layout of its operands or users"
    assert changes(history, new_op.results[0]) == [("cse", related)]


def test_a_new_value_alone():
    module = module_of(CHAIN)
    history = history_of(("a", module, {}))
    new_op = named(module, "tt.make_range").clone()
    insert_before(named(module, "tt.return"), new_op)
    history.record_pass(pass_named("cse"), module)
    assert changes(history, new_op.results[0]) == [("cse", "")]


def test_the_source_of_a_gluon_kernel():
    module = module_of(
        f"""
    %a = {RANGE.replace("LAYOUT", "#line")}
    %b = arith.addi %a, %a : tensor<128xi32, #line>
    %c = ttg.convert_layout %b : tensor<128xi32, #line> -> tensor<128xi32, #row>
    %d = {RANGE.replace("LAYOUT", "#gluon.auto_encoding")}"""
    )
    history = LayoutHistory([])
    history.record_source(module)
    assert [
        change.why for value, _ in values_with_layouts(module) for change in history.of(value)
    ] == [
        "written by the author",
        "follows from its operands, whose layouts the author wrote",
        "written by the author",
        "left to inference by the author",
    ]
    history.record_pass(pass_named("gluon-inline"), module)
    assert [len(history.of(value)) for value, _ in values_with_layouts(module)] == [1, 1, 1, 1]
