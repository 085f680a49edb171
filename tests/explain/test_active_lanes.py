"""Masks for the arguments of a launch."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from weft.explain.active_lanes import ActiveLanes
from weft.explain.global_traffic import find_global_traffic
from weft.ir import tt
from weft.ir.rewriting import walk


@weft.jit
def copy_row(x_ptr, y_ptr, n, rows, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = (column < n) & (row < rows)
    x = tl.load(x_ptr + row * n + column, mask=inside)
    tl.store(y_ptr + row * n + column, x, mask=inside & (x > 0))


@weft.jit
def sum_row(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, n, BLOCK):
        column = first + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + column, mask=column < n)
    tl.store(y_ptr + tl.arange(0, BLOCK), total)


def module_of(kernel, signature):
    compiled = weft.compile(
        kernel, signature=signature, constexprs={"BLOCK": 1024}, target="cuda:90", num_warps=4
    )
    return compiled.module("ttgir")


COPY = {"x_ptr": "*fp32", "y_ptr": "*fp32", "n": "i32", "rows": "i32"}
SUM = {"x_ptr": "*fp32", "y_ptr": "*fp32", "n": "i32"}


@pytest.mark.parametrize(
    ("n", "rows", "share"), [(1024, 100, 1.0), (256, 100, 0.25), (256, 10, 0.0)]
)
def test_the_mask_of_a_program_in_the_middle(n, rows, share):
    module = module_of(copy_row, COPY)
    lanes = ActiveLanes({"n": n, "rows": rows}, (64, 1, 1))
    (load,) = (op for op in walk(module) if isinstance(op, tt.LoadOp))
    (store,) = (op for op in walk(module) if isinstance(op, tt.StoreOp))
    assert lanes.share(load) == share
    assert lanes.share(store) == 1.0  # the mask depends on what was loaded
    assert ActiveLanes({}, (64, 1, 1)).share(load) == 1.0


def test_traffic_of_tensors():
    tensors = {"x_ptr": 1 << 20, "y_ptr": 1 << 12}
    x, y = find_global_traffic(
        module_of(copy_row, COPY), {"n": 512, "rows": 99}, tensors, (9, 1, 1)
    )
    assert (x.tensor, x.size, x.loaded, x.stored) == ("x_ptr", 1 << 20, 2048, 0)
    assert (y.tensor, y.size, y.loaded, y.stored) == ("y_ptr", 1 << 12, 0, 4096)


def test_loops_multiply_for_the_arguments_of_the_launch():
    module = module_of(sum_row, SUM)
    for n in (1024, 8192):
        (x,) = (
            each
            for each in find_global_traffic(module, {"n": n}, {}, (1, 1, 1))
            if each.tensor == "x_ptr"
        )
        assert (x.size, x.loaded) == (None, 4 * n)


@weft.jit
def add_until(x_ptr, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    if start >= n:
        return
    x = x_ptr + start + tl.arange(0, BLOCK)
    tl.store(x, tl.load(x) + 1)


def test_a_kernel_with_an_early_return():
    module = module_of(add_until, {"x_ptr": "*fp32", "n": "i32"})
    (x,) = find_global_traffic(module, {"n": 1024}, {}, (1, 1, 1))
    assert (x.tensor, x.loaded, x.stored) == ("x_ptr", 4 * 1024, 4 * 1024)


@weft.jit
def copy_around_zero(x_ptr, y_ptr, n, SIGNED: tl.constexpr, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK) - BLOCK // 2
    inside = column // 4 < n if SIGNED else column.to(tl.uint32) < n.to(tl.uint32)
    tl.store(y_ptr + column, tl.load(x_ptr + column, mask=inside))


@pytest.mark.parametrize(
    ("signed", "n", "share"),
    [
        (True, 0, (512 - 3) / 1024),  # -3 // 4 is 0: division rounds toward zero
        (True, 8, (512 + 32) / 1024),
        (False, 100, 1.0),  # the bits of negative numbers are not known
    ],
)
def test_masks_of_negative_numbers(signed, n, share):
    signature = {"x_ptr": "*fp32", "y_ptr": "*fp32", "n": "i32"}
    compiled = weft.compile(
        copy_around_zero,
        signature=signature,
        constexprs={"BLOCK": 1024, "SIGNED": signed},
        target="cuda:90",
        num_warps=4,
    )
    (load,) = (op for op in walk(compiled.module("ttgir")) if isinstance(op, tt.LoadOp))
    assert ActiveLanes({"n": n}, (1, 1, 1)).share(load) == share
