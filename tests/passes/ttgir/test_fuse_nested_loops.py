"""One loop in the place of several computes the same, whatever runs how often."""

from __future__ import annotations

import pytest

from weft.decisions import collecting
from weft.ir import scf
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline
from weft.testing import check_pass

HEAD = """
tt.func public @k(%q: !tt.ptr<f32>, %bounds: !tt.ptr<i32>, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %z = arith.constant 0.0 : f32
"""

SUM = """
    %%r = scf.for %%j = %s to %s step %s iter_args(%%x = %s) -> (f32) : i32 {
      %%p = tt.addptr %%q, %%j : !tt.ptr<f32>, i32
      %%v = tt.load %%p : !tt.ptr<f32>
      %%y = arith.addf %%x, %%v : f32
      scf.yield %%y : f32
    }"""

STORE = """
    %at = tt.addptr %q, %i : !tt.ptr<f32>, i32
    tt.store %at, %r : !tt.ptr<f32>"""


def outer(body: str, mark: str = "tt.flatten") -> str:
    return f"  scf.for %i = %c0 to %n step %c1 : i32 {{{body}\n  }} {{{mark}}}\n"


def sums(low: str, high: str, step: str, init: str = "%z") -> str:
    return SUM % (low, high, step, init)


PROMISE = """
    %b = arith.addi %i, %c1 : i32
    %some = arith.cmpi sgt, %b, %c0 : i32
    llvm.intr.assume %some : i1"""

FLATTENED = {
    "same bounds": outer(sums("%c0", "%m", "%c1") + STORE),
    "steps": outer(sums("%c1", "%m", "%c2") + STORE),
    "computed bounds": outer(
        "\n    %b = arith.muli %m, %c2 : i32" + sums("%c0", "%b", "%c1") + STORE
    ),
    "begins from the prologue": outer(
        "\n    %f = arith.sitofp %i : i32 to f32" + sums("%c0", "%m", "%c1", "%f") + STORE
    ),
    "carried": """
  %o:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %t = %c0) -> (f32, i32) : i32 {
    %square = arith.muli %i, %i : i32
    %r:2 = scf.for %j = %c0 to %m step %c1 iter_args(%x = %z, %w = %s) -> (f32, f32) : i32 {
      %p = tt.addptr %q, %j : !tt.ptr<f32>, i32
      %v = tt.load %p : !tt.ptr<f32>
      %y = arith.addf %x, %v : f32
      %y2 = arith.subf %w, %v : f32
      scf.yield %y, %y2 : f32, f32
    }
    %at = tt.addptr %q, %square : !tt.ptr<f32>, i32
    tt.store %at, %r#0 : !tt.ptr<f32>
    %u = arith.addi %t, %square : i32
    scf.yield %r#1, %u : f32, i32
  } {tt.flatten}
  tt.store %q, %o#0 : !tt.ptr<f32>
  %last = tt.addptr %q, %o#1 : !tt.ptr<f32>, i32
  tt.store %last, %o#0 : !tt.ptr<f32>
""",
}
ALL = {
    "bounds that vary": outer(sums("%c0", "%i", "%c1") + STORE, '"ttg.always-fuse"'),
    "bounds that are computed": outer(
        "\n    %b = arith.subi %m, %i : i32" + sums("%c0", "%b", "%c1") + STORE,
        '"ttg.always-fuse"',
    ),
    "two": outer(
        sums("%c0", "%m", "%c1")
        + STORE
        + """
    %r2 = scf.for %j2 = %c0 to %i step %c2 iter_args(%x2 = %r) -> (f32) : i32 {
      %y2 = arith.addf %x2, %r : f32
      scf.yield %y2 : f32
    }
    tt.store %q, %r2 : !tt.ptr<f32>""",
        '"ttg.always-fuse"',
    ),
    "three levels": outer(
        """
    scf.for %h = %c0 to %m step %c2 : i32 {
      %f = arith.sitofp %h : i32 to f32
      %r = scf.for %j = %c0 to %m step %c1 iter_args(%x = %f) -> (f32) : i32 {
        %y = arith.addf %x, %x : f32
        scf.yield %y : f32
      }
      %to = arith.addi %i, %h : i32
      %at = tt.addptr %q, %to : !tt.ptr<f32>, i32
      tt.store %at, %r : !tt.ptr<f32>
    }""",
        '"ttg.always-fuse"',
    ),
}


def text(body: str) -> str:
    return f"{HEAD}{body}  tt.return\n}}\n"


@pytest.mark.parametrize(("n", "m"), [(3, 4), (1, 1), (5, 0), (0, 3)])
@pytest.mark.parametrize("name", [*FLATTENED, *ALL])
def test_meaning(name, n, m):
    body = FLATTENED.get(name) or ALL[name]
    check_pass(text(body), "tritongpu-fuse-nested-loops", scalars={2: n, 3: m})


@pytest.mark.parametrize("name", FLATTENED)
def test_one_loop_is_left_where_the_inner_one_runs(name):
    module = parse_module(text(FLATTENED[name]))
    with collecting() as decisions:
        run_pipeline(parse_pipeline("tritongpu-fuse-nested-loops,canonicalize"), module)
    _, _, after = print_module(module).partition("} else {")
    loops = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    nested = [op for op in loops if isinstance(op.parent_op(), scf.ForOp)]
    assert not nested
    assert "scf.for" in after
    assert any(decision.choice == "one loop" for decision in decisions)


def test_a_promise_saves_the_copy():
    body = outer(PROMISE + sums("%c0", "%b", "%c1") + STORE)
    module = parse_module(text(body))
    run_pipeline(parse_pipeline("tritongpu-fuse-nested-loops"), module, verify=True)
    assert sum(op.name == "scf.for" for op in module.walk()) == 2  # one counts the rounds


def test_without_a_promise_bounds_that_vary_stay():
    source = text(outer(sums("%c0", "%i", "%c1") + STORE))
    module = parse_module(source)
    run_pipeline(parse_pipeline("tritongpu-fuse-nested-loops"), module)
    assert print_module(module) == print_module(parse_module(source))
