# ruff: noqa: E501 - IR text and tables of cases stay on their lines
from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerAttr, i32

from tests.interpreter.kernels import elementwise, run_text
from weft.errors import LaunchError
from weft.interpreter import prepare, run
from weft.interpreter.compiled_module import compiled_module_of
from weft.ir.text import parse_module

DOUBLE = elementwise("%y = arith.addf %x0, %x0 : tensor<{n}xf32>", ["f32"], "f32")
IDS = """
tt.func public @k(%out: !tt.ptr<i32>) {
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %z = tt.get_program_id z : i32
  %nx = tt.get_num_programs x : i32
  %ny = tt.get_num_programs y : i32
  %a = arith.muli %z, %ny : i32
  %b = arith.addi %a, %y : i32
  %c = arith.muli %b, %nx : i32
  %d = arith.addi %c, %x : i32
  %p = tt.addptr %out, %d : !tt.ptr<i32>, i32
  %c100 = arith.constant 100 : i32
  %v = arith.muli %z, %c100 : i32
  %w = arith.addi %v, %d : i32
  tt.store %p, %w : !tt.ptr<i32>
  tt.return
}
"""


@pytest.mark.parametrize("tile_budget", [1, 40, 1 << 20])
@pytest.mark.parametrize("grid", [(7,), (5, 3), (3, 2, 4), (1, 1, 6)])
def test_every_program_of_a_grid_runs_once(grid: tuple[int, ...], tile_budget: int) -> None:
    x, y, z = (*grid, 1, 1)[:3]
    out = np.full(x * y * z, -1, np.int32)
    run_text(IDS, [out], grid, tile_budget=tile_budget)
    assert np.array_equal(out, np.arange(x * y * z) + np.repeat(np.arange(z), x * y) * 100)


def test_an_empty_grid_runs_nothing() -> None:
    out = np.full(1, -1, np.int32)
    run_text(IDS, [out], (0, 5))
    assert out[0] == -1


@pytest.mark.parametrize("grid", [(), (1, 2, 3, 4), (-1,), (2.5,), (1 << 31,)])
def test_a_grid_that_is_none(grid: tuple[int, ...]) -> None:
    with pytest.raises(LaunchError, match="a grid is one to three sizes"):
        run_text(IDS, [np.zeros(1, np.int32)], grid)


X = np.zeros(64, np.float32)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([X], r"k takes 2 arguments[\s\S]*found: 1 arguments[\s\S]*p0: !tt.ptr<f32>"),
        ([X.astype(np.float64), X], r"argument p0 has the wrong dtype[\s\S]*float64[\s\S]*float32"),
        ([[1.0], X], r"argument p0 must be a numpy array[\s\S]*found: list"),
        ([None, X], r"argument p0 must be a numpy array[\s\S]*found: NoneType"),
    ],
)
def test_arrays_that_do_not_fit(arguments: list[object], message: str) -> None:
    with pytest.raises(LaunchError, match=message):
        run_text(DOUBLE, arguments)


SCALARS = """
tt.func public @k(%out: !tt.ptr<f64>, %i: i32, %f: f16, %b: i1, %c: i8) {
  %x = arith.sitofp %i : i32 to f64
  %y = arith.extf %f : f16 to f64
  %z = arith.uitofp %b : i1 to f64
  %w = arith.sitofp %c : i8 to f64
  %s = arith.addf %x, %y : f64
  %t = arith.addf %s, %z : f64
  %u = arith.addf %t, %w : f64
  tt.store %out, %u : !tt.ptr<f64>
  tt.return
}
"""


def test_scalars_take_their_parameters_type() -> None:
    out = np.zeros(1)
    run_text(SCALARS, [out, 4294967295, 0.1, True, np.int8(-3)])
    assert out[0] == -1 + float(np.float16(0.1)) + 1 - 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([1.5, 0.0, 0, 0], r"argument i must be an integer[\s\S]*1.5 of type float"),
        (
            [1 << 32, 0.0, 0, 0],
            r"argument i does not fit its type[\s\S]*4294967296[\s\S]*-2147483648 to 4294967295",
        ),
        ([1, "x", 0, 0], r"argument f must be a number[\s\S]*'x' of type str"),
        ([1, X, 0, 0], r"argument f must be a number"),
        ([1, 0.0, 0, 300], r"argument c does not fit its type"),
    ],
)
def test_scalars_that_do_not_fit(arguments: list[object], message: str) -> None:
    with pytest.raises(LaunchError, match=message):
        run_text(SCALARS, [np.zeros(1), *arguments])


def test_unknown_kernel_callee_and_operation() -> None:
    with pytest.raises(
        LaunchError, match=r"no function kk[\s\S]*accepted: k[\s\S]*did you mean k\?"
    ):
        run_text(DOUBLE, [X, X], name="kk")
    call = "tt.func public @k() {\n  tt.call @g() : () -> ()\n  tt.return\n}"
    with pytest.raises(LaunchError, match="the module has no function g"):
        run_text(call, [])


def test_an_operation_without_a_meaning_is_named_with_its_line() -> None:
    module = parse_module(DOUBLE, name="kernel.mlir")
    add = next(op for op in module.walk() if op.name == "arith.addf")

    class Strange(type(add)):  # an operation without an implementation
        name = "tt.reduc"

    add.__class__ = Strange
    with pytest.raises(
        LaunchError, match=r"does not support tt.reduc[\s\S]*did you mean tt.reduce"
    ):
        run(module, "k", (1,), [X, X.copy()])


def test_assembly_of_a_machine_is_refused_with_its_line() -> None:
    text = elementwise(
        '%y = tt.elementwise_inline_asm "ld.global.b32 $0, [$1];" {constraints = "=r,r", packed_element = 1 : i32, '
        'pure = true} %x0 : tensor<{n}xf32> -> tensor<{n}xf32> loc("k.py":7:3)',
        ["f32"],
        "f32",
    )
    with pytest.raises(
        LaunchError,
        match=r"k.py:7:4: error: the interpreter cannot run inline assembly[\s\S]*accesses memory[\s\S]*ld.global",
    ):
        run_text(text, [X, X.copy()])


def test_an_assertion_names_message_line_and_program() -> None:
    text = IDS.replace(
        "tt.store",
        '%two = arith.constant 2 : i32\n  %ok = arith.cmpi ne, %x, %two : i32\n  tt.assert %ok, "x is two" : i1 loc("k.py":9:1)\n  tt.store',
    )
    with pytest.raises(
        LaunchError,
        match=r"k.py:9:2: error: device-side assert triggered: x is two[\s\S]*program \(2, 0, 0\) of k",
    ) as caught:
        run_text(text, [np.zeros(4, np.int32)], (4,))
    assert isinstance(caught.value, RuntimeError), "as torch raises on a GPU"


def test_print_writes_a_line_for_each_program_and_element(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = """
tt.func public @k(%f: f32) {
  %x = tt.get_program_id x : i32
  tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %x : i32
  %r = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %m = arith.constant dense<-1> : tensor<2xi32>
  tt.print " h " {hex = true, isSigned = array<i32: 1>} : %m : tensor<2xi32>
  tt.print " u " {hex = false, isSigned = array<i32: 0>} : %m : tensor<2xi32>
  tt.print " two " {hex = false, isSigned = array<i32: 1, 1>} : %f, %r : f32, tensor<2xi32>
  tt.print " here" {hex = false, isSigned = array<i32>}
  tt.return
}
"""
    run_text(text, [1.5], (2,))
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["pid (0, 0, 0) idx () x: 0", "pid (1, 0, 0) idx () x: 1"]
    assert lines[2] == "pid (0, 0, 0) idx (0) h 0xffffffff"
    assert "pid (1, 0, 0) idx (1) u 4294967295" in lines
    assert "pid (0, 0, 0) idx () two (operand 0) 1.500000" in lines
    assert "pid (1, 0, 0) idx (1) two (operand 1) 1" in lines
    assert lines[-1] == "pid (1, 0, 0) here"


def test_a_module_is_compiled_once_and_again_when_a_pass_changed_it() -> None:
    module = parse_module(IDS, name="kernel.mlir")
    out = np.zeros(1, np.int32)
    run(module, "k", (1,), [out])
    first = compiled_module_of(module)
    assert compiled_module_of(module) is first
    constant = next(op for op in module.walk() if op.name == "arith.constant")
    constant.properties["value"] = IntegerAttr(7, i32)
    assert compiled_module_of(module) is not first
    run(module, "k", (1, 1, 2), [values := np.zeros(2, np.int32)])
    assert values.tolist() == [0, 8]


def test_a_progress_bar_is_shown_only_on_request_and_late(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_text(DOUBLE, [np.zeros(64, np.float32), np.zeros(64, np.float32)])
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("weft.interpreter.launch.PROGRESS_DELAY", -1.0)
    module = parse_module(DOUBLE, name="kernel.mlir")
    run(module, "k", (1,), [np.zeros(64, np.float32), np.zeros(64, np.float32)], progress=True)
    run(module, "k", (1,), [np.zeros(64, np.float32), np.zeros(64, np.float32)], progress=False)


def test_undefined_values_are_zero() -> None:
    text = elementwise("%y = ub.poison : tensor<{n}xf32>", [], "f32")
    out = np.ones(64, np.float32)
    run_text(text, [out])
    assert not out.any()


def test_a_prepared_kernel_names_its_arguments() -> None:
    module = parse_module(IDS, name="kernel.mlir")
    kernel = prepare(module, "k")
    out = np.zeros(3, np.int32)
    kernel.run((3,), [out])
    assert out.tolist() == [0, 1, 2]
    with pytest.raises(LaunchError, match="argument table must be a numpy array"):
        kernel.run((3,), [1], names=["table"])
    with pytest.raises(LaunchError, match="no function other"):
        prepare(module, "other")


def test_errors_name_arrays_by_the_locations_of_parameters() -> None:
    text = IDS.replace("%out: !tt.ptr<i32>", '%arg0: !tt.ptr<i32> loc("counts"("k.py":3:4))')
    text = text.replace("%out", "%arg0")
    with pytest.raises(LaunchError, match="argument counts must be a numpy array"):
        run_text(text, [0])


def test_an_assumption_that_does_not_hold_is_named() -> None:
    text = """
tt.func public @k(%n: i32) {
  %c = arith.constant 3 : i32
  %h = arith.cmpi sgt, %n, %c : i32
  llvm.intr.assume %h : i1
  tt.return
}
"""
    run_text(text, [4], (1,))
    with pytest.raises(LaunchError, match="an assumption does not hold"):
        run_text(text, [3], (1,))
