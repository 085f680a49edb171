"""The rules of ttg's operations, each broken once; views and partitions as a pass sees them."""

from __future__ import annotations

import pytest

from tests.ir.gpu import BARRIER, BUFFER, FIXED, RING, TENSOR, message, module
from weft.errors import ParseError
from weft.ir import ttg, types
from weft.ir.rewriting import walk
from weft.ir.text import parse_module, print_module
from weft.ir.text.printer import print_type
from weft.layouts import parse

HALF = "!ttg.memdesc<64x32xf16, #shared, #smem, mutable, 64x64>"
POINTERS = "tensor<64x64x!tt.ptr<f32>, #blocked>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"%x = ttg.local_alloc : () -> {FIXED}", "is immutable and has no initial value"),
        (
            f"%x = ttg.local_alloc %t : ({TENSOR}) -> !ttg.memdesc<64x64xf32, #shared, #smem>",
            "differ in shape or element type",
        ),
        (
            f"%x = ttg.local_alloc : () -> {BUFFER.replace('mutable', 'mutable, 64x128')}",
            "has shape (64, 64) but allocates (64, 128)",
        ),
        (f"ttg.local_dealloc %t : {TENSOR}", "a memory descriptor expected, found tensor<"),
        (
            f"%x = ttg.local_load %b : {BUFFER} -> tensor<64x32xf16, #blocked>",
            "differ in shape or element type",
        ),
        (f"ttg.local_store %t, %f : {TENSOR} -> {FIXED}", "cannot write to the immutable"),
        (
            f"%c = arith.constant dense<0> : tensor<64x64xi32, #blocked>\n%x = ttg.local_gather "
            f"%b[%c] {{axis = 2 : i32}} : {BUFFER}, tensor<64x64xi32, #blocked> -> {TENSOR}",
            "axis 2 is outside of !ttg.memdesc",
        ),
        (
            f"%x = ttg.local_gather %b[%t] {{axis = 0 : i32}} : {BUFFER}, {TENSOR} -> {TENSOR}",
            "integer indices of rank 2 expected",
        ),
        (
            f"%c = arith.constant dense<0> : tensor<64x32xi32, #blocked>\n%x = ttg.local_gather "
            f"%b[%c] {{axis = 0 : i32}} : {BUFFER}, tensor<64x32xi32, #blocked> -> {TENSOR}",
            "do not give tensor<64x64xf16",
        ),
        (
            f"%c = arith.constant dense<0> : tensor<64x32xi32, #blocked>\nttg.local_scatter "
            f"%b[%c], %t {{axis = 0 : i32}} : {BUFFER}, tensor<64x32xi32, #blocked>, {TENSOR}",
            "do not fit tensor<64x64xf16",
        ),
        (
            "%x = ttg.global_scratch_alloc {alignment = 3 : i32, nbytes = 8 : i32} : !tt.ptr<i8>",
            "alignment 3 is no power of two",
        ),
        (
            f"%x = ttg.memdesc_index %ring[%i] : {RING} -> "
            "!ttg.memdesc<64x32xf16, #shared, #smem, mutable>",
            "an element of !ttg.memdesc<3x64x64xf16",
        ),
        (
            f"%x = ttg.memdesc_index %ring[%i] : {RING} -> "
            "!ttg.memdesc<64x64xf32, #shared, #smem, mutable>",
            "differ in element type",
        ),
        (
            f"%x = ttg.memdesc_subslice %b[0, 48] : {BUFFER} -> {HALF}",
            "offset 48 with size 32 does not fit dimension 1",
        ),
        (f"%x = ttg.memdesc_subslice %b[0] : {BUFFER} -> {HALF}", "the ranks differ"),
        (
            f"%x = ttg.memdesc_subslice %b[0, 0] : {BUFFER} -> {HALF.replace('#shared', '#tmem')}",
            "keeps its encoding",
        ),
        (
            f"%x = ttg.memdesc_trans %b {{order = array<i32: 0, 0>}} : {BUFFER} -> {BUFFER}",
            "is no permutation of the dimensions",
        ),
        (
            f"%x = ttg.memdesc_trans %ring {{order = array<i32: 2, 0, 1>}} : {RING} -> {RING}",
            "order [2, 0, 1] of",
        ),
        (f"%x = ttg.memdesc_reshape %ring : {RING} -> {BUFFER}", "number of elements"),
        (
            f"%x = ttg.memdesc_reinterpret %b : {BUFFER} -> "
            "!ttg.memdesc<64x64xf16, #tmem, #ttng.tensor_memory, mutable>",
            "differ in memory space",
        ),
        (
            f"%c = tt.splat %g : !tt.ptr<f32> -> {POINTERS}\n%x = ttg.async_copy_global_to_local "
            f"%c, %b : {POINTERS} -> <64x64xf16, #shared, #smem, mutable>",
            "does not point to",
        ),
        (
            "%c = tt.splat %h : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #blocked>\n"
            "%x = ttg.async_copy_global_to_local %c, %b : tensor<64x32x!tt.ptr<f16>, #blocked> -> "
            "<64x64xf16, #shared, #smem, mutable>",
            "differ in shape",
        ),
        (
            f"%x = ttg.convert_layout %t : {TENSOR} -> tensor<64x64xf32, #blocked>",
            "changes more than layout",
        ),
        (
            f"%x = ttg.fp4_to_fp %t {{axis = 1 : i32}} : {TENSOR} -> tensor<64x128xbf16, #blocked>",
            "packed i8 expected",
        ),
        (
            "%x = ttg.fp4_to_fp %e {axis = 2 : i32} : tensor<64x64xi8, #blocked> -> "
            "tensor<64x128xbf16, #blocked>",
            "axis 2 is outside of",
        ),
        (
            "%x = ttg.fp4_to_fp %e {axis = 0 : i32} : tensor<64x64xi8, #blocked> -> "
            "tensor<64x128xbf16, #blocked>",
            "unpacking axis 0 of",
        ),
        (
            '%x = "ttg.mask"(%p) ({ ttg.mask.return %i : i32 }) : (i1) -> i1',
            "ttg.mask.return gives (i32), the results are (i1)",
        ),
        (
            '"ttg.mask"(%p) ({ %x = arith.addi %i, %i : i32 }) : (i1) -> ()',
            "must end in ttg.mask.return",
        ),
    ],
)
def test_rule(body: str, expected: str) -> None:
    arguments = (
        f"%t: {TENSOR}, %ring: {RING}, %b: {BUFFER}, %f: {FIXED}, %i: i32, %p: i1, "
        "%g: !tt.ptr<f32>, %h: !tt.ptr<f16>, %e: tensor<64x64xi8, #blocked>"
    )
    assert expected in message(body, arguments)


SPECIALIZED = (
    "{result}ttg.warp_specialize(%i){attributes}\ndefault {{\nttg.warp_yield {given}\n}}\n"
    "partition0(%a: {taken}) num_warps({warps}) {{\nttg.warp_return\n}} : (i32) -> {types}"
)
RIGHT = {
    "result": "%r = ",
    "attributes": "",
    "given": "%i : i32",
    "taken": "i32",
    "warps": 2,
    "types": "i32",
}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"taken": "i64"}, "partition0 takes (i64), captured are (i32)"),
        ({"warps": 3}, "3 warps of a partition: no power of two"),
        ({"given": "%p : i1"}, "ttg.warp_yield gives (i1), the results are (i32)"),
        (
            {"attributes": " attributes {requestedRegisters = array<i32: 24, 24>}"},
            "requestedRegisters has 2 entries for 1 partitions",
        ),
    ],
)
def test_rule_of_warp_specialize(changes: dict[str, str], expected: str) -> None:
    assert expected in message(SPECIALIZED.format(**RIGHT | changes))


def test_partitions_must_be_held() -> None:
    text = (
        '"ttg.warp_specialize"() <{partitionNumWarps = array<i32>}> ({ ttg.warp_yield }, '
        "{ ttg.warp_return }) : () -> ()"
    )
    assert "must hold ttg.warp_specialize.partitions" in message(text)


def test_partitions_as_a_pass_sees_them() -> None:
    parsed = parse_module(module(SPECIALIZED.format(**RIGHT)))
    (op,) = [op for op in walk(parsed) if isinstance(op, ttg.WarpSpecializeOp)]
    assert op.num_warps == (2,)
    assert len(op.partitions) == 1
    assert [value.type for value in op.holder.operands] == [types.i32]


def test_memdesc_is_read_by_names() -> None:
    shared = parse("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>")
    space = ttg.SharedMemoryAttr()
    part = ttg.MemDescType.of((64, 32), types.f16, shared, space, allocated=(64, 64))
    assert (part.shape, part.allocated, part.is_mutable) == ((64, 32), (64, 64), False)
    assert part.encoding is shared
    assert part is ttg.MemDescType.of((64, 32), types.f16, shared, space, allocated=(64, 64))
    whole = ttg.MemDescType.of((64, 32), types.f16, shared, space, mutable=True)
    assert whole.allocated == (64, 32)
    assert print_type(whole).endswith("#ttg.shared_memory, mutable>")
    assert print_type(part).endswith("#ttg.shared_memory, 64x64>")


def test_unknown_memory_of_a_barrier() -> None:
    with pytest.raises(ParseError, match="unknown memory remote; accepted: local"):
        parse_module(module("ttg.barrier remote"))


@pytest.mark.parametrize(
    ("memory", "bits"), [("none", 0), ("local", 1), ("local|tensor_read", 9), ("all", 31)]
)
def test_barrier_memory(memory: str, bits: int) -> None:
    parsed = parse_module(module(f"ttg.barrier {memory}", f"%bar: {BARRIER}"))
    (op,) = [op for op in walk(parsed) if isinstance(op, ttg.BarrierOp)]
    assert op.addrSpace.value.data == bits
    assert f"ttg.barrier {memory}\n" in print_module(parsed)
