"""Layouts and conversions by operation, errors, and the IR of Triton's pass."""

from __future__ import annotations

import re
import tempfile
from functools import cache
from pathlib import Path

import pytest

from weft.decisions import collecting
from weft.errors import PassError, UnknownPassError, UnknownTargetError
from weft.ir import types
from weft.ir.builtin import BlockArgument, ModuleOp, Operation
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify
from weft.passes import load
from weft.passes.ttir.convert_triton_to_tritongpu import ConvertTritonToTritongpu

PROGRAMS = (
    (Path(__file__).parent / "programs" / "convert_triton_to_tritongpu.mlir")
    .read_text()
    .partition("\n")[2]
    .split("// -----")
)


def converted(body: str, target: str = "cuda:80", num_warps: int = 4, num_ctas: int = 1) -> str:
    """Return the module after the conversion; its lines without the function around them."""
    threads = 64 if target == "hip:gfx942" else 32
    module = parse_module(body if "tt.func" in body else wrapped(body))
    ConvertTritonToTritongpu(target, num_warps, threads, num_ctas).run(module)
    verify(module)
    return print_module(module)


def wrapped(body: str) -> str:
    return f"module {{\n  tt.func public @f() {{\n{body}\n    tt.return\n  }}\n}}\n"


def in_full(text: str) -> list[str]:
    """Return the operations of a printed module with every layout written out."""
    aliases = dict(re.findall(r"^(#\w+) = (.*)$", text, re.MULTILINE))
    lines = [line.strip() for line in text.splitlines() if line.startswith("    ")]
    return [
        re.sub(r"#blocked\d*\b", lambda match: aliases[match.group()], line)
        for line in lines
        if line.strip() not in ("tt.return", "}")
    ]


def blocked(size: list[int], lanes: list[int], warps: list[int], order: list[int]) -> str:
    return (
        f"#ttg.blocked<{{sizePerThread = {size}, threadsPerWarp = {lanes}, "
        f"warpsPerCTA = {warps}, order = {order}}}>"
    )


@pytest.mark.parametrize(
    ("shape", "layout"),
    [
        ("64x2x32xf16", blocked([1, 1, 1], [1, 1, 32], [2, 2, 1], [2, 1, 0])),
        ("32x64x2xf16", blocked([1, 1, 1], [1, 16, 2], [1, 4, 1], [2, 1, 0])),
        ("64x2x64x2xf32", blocked([1, 1, 1, 1], [1, 1, 16, 2], [1, 1, 4, 1], [3, 2, 1, 0])),
        ("128x32xf16", blocked([1, 1], [1, 32], [4, 1], [1, 0])),
    ],
)
def test_default_layouts(shape: str, layout: str) -> None:
    lines = in_full(converted(f"%c = arith.constant dense<1.0> : tensor<{shape}>"))
    assert lines == [f"%cst = arith.constant dense<1.000000e+00> : tensor<{shape}, {layout}>"]


def test_block_pointer_has_the_layout_of_its_tile() -> None:
    text = converted(PROGRAMS[3])
    assert "tt.load %arg4 {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32}" in text
    assert re.search(r"!tt.ptr<tensor<128x32xf16, #blocked\d*>>", text)


def test_expand_dims_twice() -> None:
    """The layout that expand_dims takes goes by way of the default of what it is given."""
    lines = in_full(
        converted(
            "%1 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>\n"
            "%2 = tt.expand_dims %1 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>\n"
            "%3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<128x1xi32> -> tensor<1x128x1xi32>"
        )
    )
    line = blocked([1], [32], [4], [0])
    column = blocked([1, 1], [32, 1], [4, 1], [0, 1])
    default = blocked([1, 1], [32, 1], [4, 1], [1, 0])
    cube = blocked([1, 1, 1], [1, 32, 1], [1, 4, 1], [0, 1, 2])
    one, zero = (
        f"#ttg.slice<{{dim = {dim}, parent = {parent}}}>"
        for dim, parent in ((1, column), (0, cube))
    )
    assert lines[1:] == [
        f"%1 = ttg.convert_layout %0 : tensor<128xi32, {line}> -> tensor<128xi32, {one}>",
        f"%2 = tt.expand_dims %1 {{axis = 1 : i32}} : tensor<128xi32, {one}> -> "
        f"tensor<128x1xi32, {column}>",
        f"%3 = ttg.convert_layout %2 : tensor<128x1xi32, {column}> -> tensor<128x1xi32, {default}>",
        f"%4 = ttg.convert_layout %3 : tensor<128x1xi32, {default}> -> tensor<128x1xi32, {zero}>",
        f"%5 = tt.expand_dims %4 {{axis = 0 : i32}} : tensor<128x1xi32, {zero}> -> "
        f"tensor<1x128x1xi32, {cube}>",
    ]


def test_cat_holds_both_operands_in_each_thread() -> None:
    text = converted(
        "%c = arith.constant dense<1.0> : tensor<16x1x1xf16>\n"
        "%0 = tt.cat %c, %c : tensor<16x1x1xf16> -> tensor<32x1x1xf16>"
    )
    wide = blocked([1, 1, 2], [32, 1, 1], [4, 1, 1], [2, 1, 0])
    assert in_full(text)[-1].endswith(f"-> tensor<32x1x1xf16, {wide}>")


def test_join_and_split_keep_pairs_in_a_thread() -> None:
    text = converted(
        "%c = arith.constant dense<1.0> : tensor<16x32xf16>\n"
        "%0 = tt.join %c, %c : tensor<16x32xf16> -> tensor<16x32x2xf16>\n"
        "%1, %2 = tt.split %0 : tensor<16x32x2xf16> -> tensor<16x32xf16>"
    )
    pair = blocked([1, 1, 2], [1, 32, 1], [4, 1, 1], [2, 1, 0])
    half = blocked([1, 1], [1, 32], [4, 1], [1, 0])
    default = blocked([1, 1, 1], [1, 16, 2], [2, 2, 1], [2, 1, 0])
    lines = in_full(text)
    assert lines[1].endswith(f"-> tensor<16x32x2xf16, {pair}>")
    assert lines[2].endswith(f"-> tensor<16x32x2xf16, {default}>")
    assert lines[3].endswith(f"-> tensor<16x32x2xf16, {pair}>")
    assert lines[4].endswith(f"-> tensor<16x32xf16, {half}>")


def test_trans_permutes_the_layout() -> None:
    text = converted(
        "tt.func @f(%s: f16) { %c = tt.splat %s : f16 -> tensor<64x2x16xf16>\n"
        "%0 = tt.trans %c {order = array<i32: 1, 2, 0>} : "
        "tensor<64x2x16xf16> -> tensor<2x16x64xf16>\n tt.return }"
    )
    turned = blocked([1, 1, 1], [2, 16, 1], [1, 1, 4], [1, 0, 2])
    assert in_full(text)[-1].endswith(f"-> tensor<2x16x64xf16, {turned}>")


@pytest.mark.parametrize(
    ("rows", "warps", "side"),
    [(16, 4, 1), (32, 4, 2), (64, 4, 4), (64, 8, 4), (64, 16, 2), (32, 8, 2), (32, 1, 4)],
)
def test_dot_holds_a_square_per_thread(rows: int, warps: int, side: int) -> None:
    """16 results for each thread make a 4x4 square, 4 make 2x2."""
    shape = f"tensor<{rows}x{rows}x"
    text = converted(
        f"tt.func @f(%s: f16, %t: f32) {{ %a = tt.splat %s : f16 -> {shape}f16>\n"
        f"%c = tt.splat %t : f32 -> {shape}f32>\n"
        f"%d = tt.dot %a, %a, %c : {shape}f16> * {shape}f16> -> {shape}f32>\n tt.return }}",
        num_warps=warps,
    )
    dot = next(line for line in in_full(text) if "tt.dot" in line)
    assert f"sizePerThread = [{side}, {side}]" in dot.rpartition("->")[2]
    assert dot.count("#ttg.dot_op<{opIdx = ") == 2


def test_functions_take_and_give_layouts() -> None:
    text = converted(
        "tt.func public @f() {\n"
        "%r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>\n"
        "%t = tt.call @g(%r) : (tensor<16xi32>) -> tensor<16x1xi32>\n tt.return }\n"
        "tt.func private @g(%x: tensor<16xi32>) -> tensor<16x1xi32> {\n"
        "%t = tt.expand_dims %x {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>\n"
        "tt.return %t : tensor<16x1xi32> }"
    )
    assert "tt.func private @g(%arg0: tensor<16xi32, #blocked>) -> tensor<16x1xi32, #blocked1>" in (
        text
    )


def test_an_operation_that_folds_is_erased() -> None:
    text = converted(
        "tt.func @f(%s: f32) { %c = arith.constant dense<true> : tensor<16xi1>\n"
        "%a = tt.splat %s : f32 -> tensor<16xf32>\n"
        "%b = math.exp %a : tensor<16xf32>\n"
        "%d = arith.select %c, %a, %b : tensor<16xi1>, tensor<16xf32>\n"
        "%e = arith.addf %d, %d : tensor<16xf32>\n tt.return }"
    )
    assert "arith.select" not in text
    assert re.search(r"arith.addf %0, %0", text)


def test_source_locations_stay() -> None:
    module = parse_module(
        'tt.func @f(%s: f16) {\n%c = tt.splat %s : f16 -> tensor<4x8xf16> loc("k.py":3:7)\n'
        "%0 = tt.trans %c {order = array<i32: 1, 0>} : tensor<4x8xf16> -> tensor<8x4xf16>"
        ' loc("k.py":4:7)\n%1 = arith.addf %0, %0 : tensor<8x4xf16> loc("k.py":5:7)\ntt.return }'
    )
    load("convert-triton-to-tritongpu", {"target": "cuda:90"}).run(module)
    text = print_module(module, locations=True)
    aliases = dict(re.findall(r"^(#loc\d*) = (.*)$", text, re.MULTILINE))
    convert = next(line for line in text.splitlines() if "convert_layout" in line)
    assert aliases[convert.rpartition("loc(")[2].rstrip(")")] == 'loc("k.py":5:7)'


# ------------------------------------------------------------------------------------- bad input
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_warps": 3}, "num-warps must be a power of two"),
        ({"num_ctas": 0}, "num-ctas must be a power of two"),
        ({"threads_per_warp": 48}, "threads-per-warp must be a power of two"),
        ({"threads_per_warp": 64}, "threads-per-warp must be that of cuda:90"),
    ],
)
def test_bad_launch(options: dict[str, int], message: str) -> None:
    with pytest.raises(PassError) as error:
        load("convert-triton-to-tritongpu", {"target": "cuda:90", **options}).run(
            parse_module(wrapped(""))
        )
    assert message in str(error.value)
    assert str(next(iter(options.values()))) in str(error.value)


def test_target_is_known() -> None:
    with pytest.raises(UnknownTargetError, match="unknown target cuda:81"):
        ConvertTritonToTritongpu("cuda:81").run(parse_module(wrapped("")))


def test_target_is_given() -> None:
    with pytest.raises(UnknownPassError, match="needs target"):
        load("convert-triton-to-tritongpu", {})


def test_shape_that_is_no_power_of_two() -> None:
    module = parse_module(
        "tt.func @f() {\n%r = tt.make_range {end = 48 : i32, start = 0 : i32} : tensor<48xi32>"
        ' loc("k.py":7:3)\ntt.return }'
    )
    with pytest.raises(PassError) as error:
        ConvertTritonToTritongpu("cuda:90").run(module)
    text = str(error.value)
    assert text.startswith("k.py:7:4: error: convert-triton-to-tritongpu: tt.make_range: dimension")
    assert "48 in 48" in text


def test_operation_of_another_dialect_takes_a_tensor() -> None:
    body = """
    %x = arith.constant dense<1> : tensor<32xi8>
    %y = ttg.fp4_to_fp %x {axis = 0 : i32} : tensor<32xi8> -> tensor<64xf16>"""
    module = parse_module(wrapped(body))
    message = (
        r"ttg\.fp4_to_fp: failed to legalize unresolved materialization from \('tensor<32xi8, "
    )
    with pytest.raises(PassError, match=message):
        ConvertTritonToTritongpu("cuda:90").run(module)


def test_a_module_with_layouts_does_not_change() -> None:
    text = converted("%c = arith.constant dense<1.0> : tensor<16xf16>")
    module = parse_module(text)
    ConvertTritonToTritongpu("cuda:80").run(module)
    assert print_module(module) == print_module(parse_module(text))


LEDGER = """
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %a = arith.constant dense<1.0> : tensor<16x16xf16>
  %c = arith.constant dense<1.0> : tensor<16x16xf32>
  %d = tt.dot %a, %a, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %sum = "tt.reduce"(%d) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
"""


def test_ledger() -> None:
    module = parse_module(wrapped(LEDGER))
    with collecting() as decisions:
        ConvertTritonToTritongpu("cuda:80").run(module)
    reasons = {(decision.op, decision.reason) for decision in decisions}
    default = "the default layout of its shape: [1] elements per thread, dimensions in the order 0"
    assert reasons >= {
        ("tt.make_range", default),
        ("ttg.convert_layout", "tt.expand_dims needs its operand in this layout"),
        ("ttg.convert_layout", "operand a of tt.dot"),
        ("ttg.convert_layout", "operand b of tt.dot"),
        ("tt.reduce", "tt.reduce removes dimension 1 from the layout"),
    }


# ---------------------------------------------------------------------------------------- oracle
@pytest.mark.oracle
@pytest.mark.parametrize("target", ["hip:gfx942", "hip:gfx1201", "cuda:80", "cuda:90"])
@pytest.mark.parametrize("num_warps", [1, 4, 8])
@pytest.mark.parametrize("program", range(len(PROGRAMS)))
def test_every_operation_as_triton(program: int, num_warps: int, target: str) -> None:
    pytest.importorskip("triton")
    text = PROGRAMS[program]
    ours = converted(text, target, num_warps)
    assert reprinted(ours) == triton_converts(text, target, num_warps)


@cache
def context():
    """Create an MLIR context, cached because it must outlive the modules in it."""
    from triton._C.libtriton import amd, ir, nvidia

    mlir_context = ir.context()
    for load_dialects in (ir.load_dialects, amd.load_dialects, nvidia.load_dialects):
        load_dialects(mlir_context)
    return mlir_context


def read_by_triton(text: str):
    from triton._C.libtriton import ir

    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        return ir.parse_mlir_module(file.name, context())


def reprinted(text: str) -> str:
    """Print a module with Triton, which also verifies it."""
    return read_by_triton(text).str_nodebug()


def triton_converts(text: str, target: str, num_warps: int) -> str:
    from triton._C.libtriton import ir, passes

    module = read_by_triton(text)
    manager = ir.pass_manager(context())
    threads = 64 if target == "hip:gfx942" else 32
    passes.ttir.add_convert_to_ttgpuir(manager, target, num_warps, threads, 1)
    manager.run(module, "convert")
    return module.str_nodebug()


def users(module: ModuleOp) -> list[list[tuple[int, int]]]:
    """List the users of each tensor as (position in the module, index of the operand)."""
    ops = list(module.walk())
    positions = {op: position for position, op in enumerate(ops)}
    values = [value for op in ops for value in (*op.results, *_block_arguments(op))]
    return [
        [(positions[use.operation], use.index) for use in value.uses]
        for value in values
        if types.is_tensor(value.type)
    ]


def _block_arguments(op: Operation) -> list[BlockArgument]:
    return [argument for region in op.regions for block in region.blocks for argument in block.args]


def test_the_latest_operation_is_the_first_user():
    module = parse_module(
        wrapped("""
    %n = arith.constant 4 : i32
    %x = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %y = arith.addi %x, %x : tensor<64xi32>
    %z = scf.for %i = %n to %n step %n iter_args(%t = %x) -> (tensor<64xi32>) : i32 {
      %a = arith.muli %t, %y : tensor<64xi32>
      %b = arith.addi %t, %a : tensor<64xi32>
      scf.yield %b : tensor<64xi32>
    }
    %w = arith.muli %x, %z : tensor<64xi32>""")
    )
    ConvertTritonToTritongpu("cuda:80", 4, 32, 1).run(module)
    order = users(module)
    assert max(map(len, order)) > 3
    assert order == users(parse_module(print_module(module)))
