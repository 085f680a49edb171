"""The rules of amdg's operations, each broken once."""

from __future__ import annotations

import pytest

from tests.ir.gpu import BUFFER, FIXED, TENSOR, message, module
from weft.errors import ParseError
from weft.ir.text import parse_module

OFFSETS = "tensor<64x64xi32, #blocked>"
ARGUMENTS = (
    f"%t: {TENSOR}, %o: {OFFSETS}, %s: tensor<64x32xi32, #blocked>, %h: !tt.ptr<f16>, "
    f"%b: {BUFFER}, %f: {FIXED}, %i: i32, %e: tensor<64x64xi8, #blocked>, "
    "%n: tensor<64x32xf16, #blocked>, %g: !tt.ptr<f32>, "
    "%d: !tt.tensordesc<tensor<64x64xf16, #shared>>"
)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            f'%r = "amdg.buffer_load"(%g, %o) <{{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}}>'
            f" : (!tt.ptr<f32>, {OFFSETS}) -> {TENSOR}",
            "a pointer to f16 expected",
        ),
        (
            '"amdg.buffer_store"(%t, %h, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : '
            f"({TENSOR}, !tt.ptr<f16>, tensor<64x32xi32, #blocked>) -> ()",
            "i32 offsets shaped like",
        ),
        (
            f"%r = amdg.buffer_load_to_local %h[%o] into %f : <f16>[{OFFSETS}]  -> "
            "<64x64xf16, #shared, #smem>",
            "cannot write to the immutable",
        ),
        (
            f"%r = amdg.extract_slice %t [0, 48] : {TENSOR} to tensor<64x32xf16, #blocked>",
            "32 elements from 48 on leave dimension 1",
        ),
        (
            f"%r = amdg.extract_slice %t [0] : {TENSOR} to tensor<64x32xf16, #blocked>",
            "the ranks differ",
        ),
        (
            f"%r = amdg.extract_slice %t [0, 0] : {TENSOR} to tensor<64x32xf32, #blocked>",
            "differ in element type",
        ),
        (
            f"%r = amdg.concat %t, %n : {TENSOR}, tensor<64x32xf16, #blocked> -> "
            "tensor<128x64xf16, #blocked>",
            "sources of one type expected",
        ),
        (
            f"%r = amdg.concat %t, %t : {TENSOR}, {TENSOR} -> {TENSOR}",
            "2 times tensor<64x64xf16",
        ),
        (
            f"%r = amdg.in_thread_transpose %t : {TENSOR} -> tensor<64x32xf16, #blocked>",
            "changes more than layout",
        ),
        (
            "%r = amdg.scaled_upcast_fp4 %e scale %t {axis = 2 : i32} : tensor<64x64xi8, #blocked>"
            f", {TENSOR} -> {TENSOR}",
            "axis 2 is outside of",
        ),
        (
            "%r = amdg.scaled_upcast_fp4 %e scale %t {axis = 1 : i32} : tensor<64x64xi8, #blocked>"
            f", {TENSOR} -> {TENSOR}",
            "unpacking axis 1 of",
        ),
        (
            "%r = amdg.scaled_upcast_fp8 %e scale %n : tensor<64x64xi8, #blocked>, "
            f"tensor<64x32xf16, #blocked> -> {TENSOR}",
            "one scale per result element expected",
        ),
        (
            "%r = amdg.scaled_upcast_fp8 %e scale %n : tensor<64x64xi8, #blocked>, "
            "tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #blocked>",
            "differ in shape",
        ),
        (
            "%r = amdg.async_tdm_copy_global_to_local %d[%i, %i] into %f, %i : "
            f"!tt.tensordesc<tensor<64x64xf16, #shared>> -> {FIXED}",
            "cannot write to the immutable",
        ),
        (
            f"%p = tt.splat %g : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked>\n"
            f"%r = amdg.async_copy_local_to_global %b, %p : {BUFFER} -> "
            "tensor<64x64x!tt.ptr<f32>, #blocked>",
            "does not point to",
        ),
        (
            f"%r = amdg.local_load_packed_tranposed %b : {BUFFER} -> tensor<64x32xf16, #blocked>",
            "differ in their number of elements",
        ),
        (f"amdg.init_barrier %b, 1 : {BUFFER}", "a barrier is an i64 per block"),
        ("amdg.cluster_barrier_wait", 'needs a module with "ttg.num-ctas" above 1'),
    ],
)
def test_rule(body: str, expected: str) -> None:
    assert expected in message(body, ARGUMENTS)


def test_unknown_scheduling() -> None:
    text = "amdg.instruction_sched_hint {variant = #amdg.SchedHintVariant<attentoin>}"
    with pytest.raises(ParseError, match=r"accepted: none, attention \(did you mean attention"):
        parse_module(module(text))
