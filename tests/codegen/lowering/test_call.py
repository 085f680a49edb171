"""Calls of `noinline` functions: arguments, results, shared memory and recursion."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from weft.codegen import lower
from weft.errors import CodegenError
from weft.ir.text import parse_module

CHIPS = ("cuda:80", "hip:gfx942", "hip:gfx1201")


@weft.jit(noinline=True)
def total(x, scale):
    """A reduction over all warps: shared memory in the callee."""
    return tl.sum(x, 0) * scale


@weft.jit(noinline=True)
def halves(x, up):
    """Two results, and two ways to return."""
    if up:
        return x + total(x, 0.5), x * 2
    return x - 1, x * 3


@weft.jit
def calls(x_ptr, y_ptr, z_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    base = total(x, 1.0)
    for k in range(n % 4):
        up, down = halves(x + k, k % 2 == 0)
        x = up + tl.sum(down, 0) * 1e-3
        if k == 1:
            x += total(down, 0.25)
    tl.store(y_ptr + i, x + base)
    tl.store(z_ptr + i, tl.sort(x) if N == 128 else x)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(("size", "warps"), [(128, 1), (512, 4), (64, 4)])
def test_calls_match_the_interpreter(chip, size, warps, machine):
    signature = f"*fp32:16, *fp32:16, *fp32:16, i32, {size}"
    compiled = weft.compile(calls, signature=signature, target=chip, num_warps=warps)
    llvm = lower(compiled.module("ttgir"))
    assert llvm.text.count("define internal") >= 2
    assert llvm.text.count("call { ") >= 1
    machine.emit(llvm, "assembly")
    require_same(compiled, tolerance=1e-3)


@weft.jit(noinline=True)
def descriptor_of(x, rows, columns, BLOCK: tl.constexpr):
    return tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [8, BLOCK])


@weft.jit(noinline=True)
def copy_block(x, y, rows, columns, BLOCK: tl.constexpr):
    source = descriptor_of(x, rows, columns, BLOCK)
    result = tl.make_tensor_descriptor(y, [rows, columns], [columns, 1], [8, BLOCK])
    result.store([8 * tl.program_id(0), 0], source.load([8 * tl.program_id(0), 0]))


@weft.jit
def copies(x, y, z, BLOCK: tl.constexpr):
    result = descriptor_of(z, 16, BLOCK, BLOCK)
    copy_block(x, y, 16, BLOCK, BLOCK)
    result.store([8 * tl.program_id(0), 0], tl.full([8, BLOCK], 1.0, tl.float32))


def test_descriptors_of_called_functions():
    """Callers give each callee a part of the global scratch memory."""
    signature = "*fp32:16, *fp32:16, *fp32:16, 32"
    compiled = weft.compile(copies, signature=signature, target="cuda:90")
    llvm = lower(compiled.module("ttgir"))
    assert llvm.global_scratch_bytes == 3 * 128
    require_same(compiled)


MODULE = """
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32,
                   ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @kernel(%x: i32) {
    tt.call @FIRST(%x) : (i32) -> ()
    tt.return
  }
  tt.func private @again(%x: i32) {
    tt.call @again(%x) : (i32) -> ()
    tt.return
  }
}
"""


@pytest.mark.parametrize(
    ("callee", "message"),
    [
        ("again", "a function that calls itself cannot be lowered"),
        ("nowhere", "a call of a function that the module does not have"),
    ],
)
def test_call_errors(callee, message):
    module = parse_module(MODULE.replace("FIRST", callee))
    with pytest.raises(CodegenError, match=message) as caught:
        lower(module)
    assert f"@{callee}" in str(caught.value)
