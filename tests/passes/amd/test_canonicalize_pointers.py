"""Pointers split into a base and an offset: kernels compute the same, and the ledger."""

from __future__ import annotations

import pytest

from weft.decisions import collecting
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline
from weft.testing import check_pass

SMALL = "!tt.ptr<i32> {tt.pointer_range = 32 : i32}"
TILE = "tensor<16x!tt.ptr<i32>>"
INTS = "tensor<16xi32>"

HEAD = f"""
tt.func public @k(%a: {SMALL}, %b: {SMALL}, %n: i32, %c: i1, %large: !tt.ptr<i32>) {{
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %five = arith.constant dense<5> : {INTS}
  %range = tt.make_range {{start = 0 : i32, end = 16 : i32}} : {INTS}
  %s = tt.splat %n : i32 -> {INTS}
  %o = arith.muli %range, %s : {INTS}
  %a0 = tt.splat %a : !tt.ptr<i32> -> {TILE}
  %b0 = tt.splat %b : !tt.ptr<i32> -> {TILE}
  %l0 = tt.splat %large : !tt.ptr<i32> -> {TILE}
  %p = tt.addptr %a0, %o : {TILE}, {INTS}
  %q = tt.addptr %b0, %range : {TILE}, {INTS}
  %r = tt.addptr %l0, %o : {TILE}, {INTS}
"""

BODIES = {
    "product": f"""
  %sum = arith.addi %s, %range : {INTS}
  %square = arith.muli %sum, %sum : {INTS}
  %x = tt.addptr %p, %square : {TILE}, {INTS}
  %v = tt.load %x : {TILE}
  %y = tt.addptr %r, %square : {TILE}, {INTS}
  tt.store %y, %v : {TILE}
""",
    "wide": f"""
  %w = arith.extsi %o : {INTS} to tensor<16xi64>
  %x = tt.addptr %p, %w : {TILE}, tensor<16xi64>
  %x2 = tt.addptr %x, %five : {TILE}, {INTS}
  %v = tt.load %x2 : {TILE}
  %y = tt.addptr %r, %w : {TILE}, tensor<16xi64>
  %y2 = tt.addptr %y, %five : {TILE}, {INTS}
  tt.store %y2, %v : {TILE}
""",
    "loop": f"""
  %x:3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%f = %p, %g = %q, %h = %r)
      -> ({TILE}, {TILE}, {TILE}) : i32 {{
    %v = tt.load %f : {TILE}
    tt.store %g, %v : {TILE}
    tt.store %h, %v : {TILE}
    %f2 = tt.addptr %f, %five : {TILE}, {INTS}
    %g2 = tt.addptr %g, %range : {TILE}, {INTS}
    %h2 = tt.addptr %h, %o : {TILE}, {INTS}
    scf.yield %f2, %g2, %h2 : {TILE}, {TILE}, {TILE}
  }}
  %v = tt.load %x#0 : {TILE}
  tt.store %x#1, %v : {TILE}
""",
    "swapped in a loop": f"""
  %x:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%f = %p, %g = %q)
      -> ({TILE}, {TILE}) : i32 {{
    %v = tt.load %f : {TILE}
    tt.store %g, %v : {TILE}
    scf.yield %g, %f : {TILE}, {TILE}
  }}
  %v = tt.load %x#1 : {TILE}
  tt.store %x#0, %v : {TILE}
""",
    "other bases": f"""
  %x = scf.if %c -> ({TILE}) {{
    scf.yield %p : {TILE}
  }} else {{
    scf.yield %q : {TILE}
  }}
  %y = tt.addptr %x, %range : {TILE}, {INTS}
  %v = tt.load %y : {TILE}
  tt.store %p, %v : {TILE}
""",
    "one of any size": f"""
  %x = scf.if %c -> ({TILE}) {{
    scf.yield %p : {TILE}
  }} else {{
    scf.yield %r : {TILE}
  }}
  %z = arith.select %c, %r, %q : {TILE}
  %y = tt.addptr %x, %range : {TILE}, {INTS}
  %v = tt.load %y : {TILE}
  %w = tt.load %z : {TILE}
  tt.store %p, %v : {TILE}
  tt.store %r, %w : {TILE}
""",
    "by element": f"""
  %few = arith.cmpi slt, %range, %five : {INTS}
  %x = arith.select %few, %p, %q : tensor<16xi1>, {TILE}
  %v = tt.load %x : {TILE}
  tt.store %r, %v : {TILE}
""",
    "a mix comes back": f"""
  %x = scf.for %i = %c0 to %c3 step %c1 iter_args(%f = %p) -> ({TILE}) : i32 {{
    %v = tt.load %f : {TILE}
    tt.store %q, %v : {TILE}
    scf.yield %r : {TILE}
  }}
  %v = tt.load %x : {TILE}
  tt.store %p, %v : {TILE}
""",
    "while": f"""
  %x:2 = scf.while (%f = %p, %i = %c0) : ({TILE}, i32) -> (i32, {TILE}) {{
    %more = arith.cmpi slt, %i, %c3 : i32
    %f1 = tt.addptr %f, %range : {TILE}, {INTS}
    scf.condition(%more) %i, %f1 : i32, {TILE}
  }} do {{
  ^bb0(%j: i32, %g: {TILE}):
    %v = tt.load %g : {TILE}
    tt.store %q, %v : {TILE}
    %g2 = tt.addptr %g, %five : {TILE}, {INTS}
    %j2 = arith.addi %j, %c1 : i32
    scf.yield %g2, %j2 : {TILE}, i32
  }}
  %v = tt.load %x#1 : {TILE}
  tt.store %r, %v : {TILE}
""",
    "branches": f"""
  cf.cond_br %c, ^bb1(%p, %q : {TILE}, {TILE}), ^bb2(%q : {TILE})
^bb1(%f: {TILE}, %g: {TILE}):
  %v = tt.load %f : {TILE}
  tt.store %g, %v : {TILE}
  cf.br ^bb2(%f : {TILE})
^bb2(%h: {TILE}):
  %h2 = tt.addptr %h, %range : {TILE}, {INTS}
  %w = tt.load %h2 : {TILE}
  tt.store %r, %w : {TILE}
""",
    "scalars": """
  %f = tt.addptr %a, %n : !tt.ptr<i32>, i32
  %g = tt.addptr %f, %c3 : !tt.ptr<i32>, i32
  %v = tt.load %g : !tt.ptr<i32>
  %h = tt.addptr %large, %v : !tt.ptr<i32>, i32
  tt.store %h, %v : !tt.ptr<i32>
""",
}


@pytest.mark.parametrize("large", ["false", "true"])
@pytest.mark.parametrize("name", BODIES)
def test_meaning(name, large):
    text = HEAD + BODIES[name] + "  tt.return\n}\n"
    option = f"{{enable-large-tensor-ptr-canon={large}}}"
    check_pass(text, f"tritonamdgpu-canonicalize-pointers{option}", scalars={2: 7})
    if name not in ("by element", "one of any size", "a mix comes back"):
        check_pass(
            text, f"tritonamdgpu-canonicalize-pointers{option},canonicalize", scalars={2: 7, 3: 0}
        )


def test_enable_large_tensor_ptr_canon():
    module = parse_module(HEAD + BODIES["loop"] + "  tt.return\n}\n")
    pipeline = "tritonamdgpu-canonicalize-pointers{enable-large-tensor-ptr-canon=true},canonicalize"
    run_pipeline(parse_pipeline(pipeline), module, verify=True)
    loop = next(line for line in print_module(module).splitlines() if "scf.for" in line)
    assert "tensor<16x!tt.ptr" not in loop


def test_new_tensors_have_a_reason():
    layout = (
        "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>"
    )
    text = (HEAD + BODIES["loop"] + "  tt.return\n}\n").replace(
        "tensor<16x!tt.ptr<i32>>", f"tensor<16x!tt.ptr<i32>, {layout}>"
    )
    text = text.replace("tensor<16xi32>", f"tensor<16xi32, {layout}>")
    with collecting() as decisions:
        module = parse_module(text)
        run_pipeline(parse_pipeline("tritonamdgpu-canonicalize-pointers"), module)
    values = {decision.value for decision in decisions}
    pointers = {
        result
        for op in module.walk()
        for result in op.results
        if op.name in ("tt.splat", "tt.addptr") and "tensor" in str(result.type)
    }
    assert len(pointers & values) > 4
    assert all("has the layout of its pointer" in decision.reason for decision in decisions)
