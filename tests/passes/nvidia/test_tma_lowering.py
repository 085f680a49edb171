"""Descriptors that TMA lowering creates, and its errors."""

from __future__ import annotations

import pytest

from weft.errors import PassError
from weft.ir.attributes import number
from weft.ir.builtin import ModuleOp
from weft.ir.text import parse_module
from weft.passes import parse_pipeline, run_pipeline

DESCRIPTOR = """
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = SWIZZLE, transposed = false, elementBitWidth = BITS}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @f(%p: !tt.ptr<TYPE>, %n: i32, %s: i64, %t: i64) -> !tt.tensordesc<tensor<32x64xELEMENT, #shared>> {
  %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %t] : <TYPE>, <tensor<32x64xELEMENT, #shared>>
  tt.return %d : !tt.tensordesc<tensor<32x64xELEMENT, #shared>>
}
}
"""  # noqa: E501


def run(text: str) -> ModuleOp:
    module = parse_module(text)
    run_pipeline(parse_pipeline("triton-nvidia-tma-lowering"), module, verify=True)
    return module


def created(type_: str, element: str, bits: int, swizzle: int) -> dict[str, object]:
    """Read the attributes of the descriptor that is created in memory."""
    text = DESCRIPTOR.replace("TYPE", type_).replace("ELEMENT", element)
    module = run(text.replace("SWIZZLE", str(swizzle)).replace("BITS", str(bits)))
    (op,) = (op for op in module.walk() if op.name == "ttng.tensormap_create")
    names = ("elem_type", "swizzle_mode", "interleave_layout", "fill_mode")
    return {name: number(op.properties[name]) for name in names}


@pytest.mark.parametrize(
    ("type_", "element", "bits", "elem_type"),
    [
        ("i8", "i8", 8, 0),
        ("i16", "i16", 16, 1),
        ("i32", "i32", 32, 2),
        ("i32", "si32", 32, 3),
        ("f16", "f16", 16, 6),
        ("f32", "f32", 32, 7),
        ("bf16", "bf16", 16, 10),
        ("f8E4M3FN", "f8E4M3FN", 8, 0),
    ],
)
def test_element_types(type_, element, bits, elem_type):
    """The numbers are those of .elemtype in the PTX ISA, tensormap.replace."""
    assert created(type_, element, bits, 32)["elem_type"] == elem_type


@pytest.mark.parametrize(("swizzle", "mode"), [(0, 0), (32, 1), (64, 2), (128, 3)])
def test_swizzle_modes(swizzle, mode):
    attributes = created("f16", "f16", 16, swizzle)
    assert attributes["swizzle_mode"] == mode
    assert (attributes["interleave_layout"], attributes["fill_mode"]) == (0, 0)


def test_a_descriptor_without_encoding():
    text = """
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @f(%d: !tt.tensordesc<tensor<128xf16>>, %i: i32) -> tensor<128xf16, #blocked> {
  %x = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<128xf16>> -> tensor<128xf16, #blocked>
  tt.return %x : tensor<128xf16, #blocked>
}
}
"""  # noqa: E501
    with pytest.raises(PassError) as error:
        run(text)
    assert "tensor descriptor has no shared-memory encoding" in str(error.value)
    assert "triton-nvidia-optimize-descriptor-encoding" in str(error.value)


def test_element_type_that_tma_does_not_support():
    text = """
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 1, rank = 1}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @f(%p: !tt.ptr<i1>, %n: i32, %s: i64) -> !tt.tensordesc<tensor<128xi1, #shared>> {
  %d = tt.make_tensor_descriptor %p, [%n], [%s] : <i1>, <tensor<128xi1, #shared>>
  tt.return %d : !tt.tensordesc<tensor<128xi1, #shared>>
}
}
"""  # noqa: E501
    with pytest.raises(PassError, match="TMA does not support element type i1"):
        run(text)
