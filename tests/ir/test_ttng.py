"""The rules of ttng's operations, each broken once; the names of their results."""

from __future__ import annotations

import pytest

from tests.ir.gpu import ARGUMENTS, BARRIER, BUFFER, FIXED, TENSOR_MEMORY, message, module
from weft.errors import ParseError
from weft.ir.text import parse_module, print_module

ACC = "tensor<64x64xf32, #mma>"
ROWS = "tensor<128x128xf32, #blocked>"
WIDE = "!ttg.memdesc<64x128xf16, #shared, #smem, mutable>"
MAP = (
    "ttng.tensormap_create %q, %q, [{box}], [%i, %i], [%l], [%i, %i] {{elem_type = {type} : i32, "
    "fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32}} : (!tt.ptr<i8>, "
    "!tt.ptr<i8>, {boxes}, i32, i32, i64, i32, i32) -> ()"
)
ARGUMENTS += (
    f", %acc: {ACC}, %rows: {ROWS}, %q: !tt.ptr<i8>, %l: i64, %w: {WIDE}, "
    "%d: !tt.tensordesc<tensor<64x64xf16, #shared>>"
)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"ttng.init_barrier %b, 1 : {BUFFER}", "a barrier is an i64 per block, found"),
        (f"ttng.inval_barrier %b : {BUFFER}", "a barrier is an i64 per block"),
        (f"ttng.barrier_expect %b, 8, %p : {BUFFER}", "a barrier is an i64 per block"),
        (f"ttng.wait_barrier %b, %i : {BUFFER}", "a barrier is an i64 per block"),
        (f"ttng.tc_gen5_commit %b : {BUFFER}", "a barrier is an i64 per block"),
        (f"ttng.async_copy_mbarrier_arrive %b : {BUFFER}", "a barrier is an i64 per block"),
        (f"ttng.arrive_barrier %bar, 0 : {BARRIER}", "at least one arrival expected"),
        ("ttng.cluster_wait", 'needs a module with "ttg.num-ctas" above 1'),
        ("ttng.cluster_arrive {relaxed = true}", 'needs a module with "ttg.num-ctas" above 1'),
        ("ttng.fence_mbarrier_init_release_cluster", 'a module with "ttg.num-ctas" above 1'),
        (
            "ttng.async_tma_copy_global_to_local %d[%i, %i] %f, %bar, %p : "
            f"!tt.tensordesc<tensor<64x64xf16, #shared>>, {BARRIER} -> {FIXED}",
            "cannot write to the immutable",
        ),
        (
            "ttng.async_tma_copy_global_to_local %d[] %b, %bar, %p : "
            f"!tt.tensordesc<tensor<64x64xf16, #shared>>, {BARRIER} -> {BUFFER}",
            "1 to 5 coordinates expected",
        ),
        (MAP.format(box="%i", boxes="i32", type=6), "1 box sizes need as many dimensions"),
        (MAP.format(box="%i, %i", boxes="i32, i32", type=16), "elem_type is 16, 0 to 15"),
        (
            f"%r = ttng.warp_group_dot %b, %w, %acc : {BUFFER} * {WIDE} -> {ACC}",
            "does not give tensor<64x64xf32",
        ),
        ('"ttng.warp_group_dot_wait"() <{pendings = 0 : i32}> : () -> ()', "at least one input"),
        (
            f'%r = "ttng.warp_group_dot_wait"(%b) <{{pendings = 0 : i32}}> : ({BUFFER}) -> {FIXED}',
            "differ from the inputs in type",
        ),
        (f"%r = ttng.tmem_alloc : () -> {BUFFER}", "a buffer in #ttng.tensor_memory expected"),
        (
            "%r = ttng.tmem_alloc : () -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory>",
            "is immutable and has no initial value",
        ),
        (
            f"%r = ttng.tmem_load %m : {TENSOR_MEMORY} -> {ACC}",
            "differ in shape or element type",
        ),
        (
            f"%r = ttng.tmem_load %m {{abs = true}} : {TENSOR_MEMORY} -> {ROWS}",
            "abs and NaN need redOp",
        ),
        (
            f"%r = ttng.tmem_load %m {{redOp = #ttng.redOp<max>}} : {TENSOR_MEMORY} -> {ROWS}",
            "redOp and a reduced result go together",
        ),
        (
            f"ttng.tmem_store %acc, %m, %p : {ACC} -> {TENSOR_MEMORY}",
            "differ in shape or element type",
        ),
        (
            f"%r = ttng.tmem_subslice %m {{N = 96 : i32}} : {TENSOR_MEMORY} -> "
            "!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable, 128x128>",
            "columns 96 to 159 are not all in",
        ),
        (
            f"ttng.tc_gen5_mma %b, %b, %m, %p, %p : {BUFFER}, {BUFFER}, {TENSOR_MEMORY}",
            "does not give !ttg.memdesc<128x128xf32",
        ),
        (
            f'"ttng.tc_gen5_mma_scaled"(%b, %b, %m, %b, %b, %p, %p, %bar) <{{a_type = 0 : i32, '
            "b_type = 0 : i32, is_async, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 1, 1, "
            f"1, 0>}}> : ({BUFFER}, {BUFFER}, {TENSOR_MEMORY}, {BUFFER}, {BUFFER}, i1, i1, "
            f"{BARRIER}) -> ()",
            "1 barriers with 0 predicates",
        ),
        (
            "ttng.tc_gen5_mma_scaled %b, %b, %m, %b, %b, %p, %p lhs = e4m3 rhs = e4m3, %bar[%p] : "
            f"{BUFFER}, {BUFFER}, {TENSOR_MEMORY}, {BUFFER}, {BUFFER}, {BARRIER}",
            "only of use to an asynchronous product",
        ),
    ],
)
def test_rule(body: str, expected: str) -> None:
    assert expected in message(body, ARGUMENTS)


def test_unknown_reduction() -> None:
    text = f"%r = ttng.tmem_load %m {{redOp = #ttng.redOp<mix>}} : {TENSOR_MEMORY} -> {ROWS}"
    with pytest.raises(ParseError, match=r"unknown ttng.redOp mix; accepted: min, max"):
        parse_module(module(text))


def test_each_result_of_tensor_memory_has_its_name() -> None:
    body = (
        f"%a, %k = ttng.tmem_alloc : () -> ({TENSOR_MEMORY}, !ttg.async.token)\n"
        f"%x, %u = ttng.tmem_load %a[%k] : {TENSOR_MEMORY} -> {ROWS}\n"
        f"%y = ttng.tmem_load %a : {TENSOR_MEMORY} -> {ROWS}"
    )
    printed = print_module(parse_module(module(body)))
    assert "%result, %token = ttng.tmem_alloc" in printed
    assert "%result_0, %token_1 = ttng.tmem_load %result[%token]" in printed
    assert "%result_2 = ttng.tmem_load %result :" in printed
