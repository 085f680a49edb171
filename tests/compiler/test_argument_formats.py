"""The formats of entry arguments follow from the signature."""

from __future__ import annotations

import pytest

from weft.compiler.argument_formats import descriptor_form, entry_formats
from weft.compiler.signature import Signature
from weft.errors import CodegenError


def signature(*types: object) -> Signature:
    return Signature(tuple(f"a{n}" for n in range(len(types))), types)  # pyright: ignore


@pytest.mark.parametrize(
    ("type_name", "format_", "llvm"),
    [
        ("u1", "?", "i1"),
        ("i8", "b", "i8"),
        ("u8", "B", "i8"),
        ("i16", "h", "i16"),
        ("u16", "H", "i16"),
        ("u32", "I", "i32"),
        ("i64", "q", "i64"),
        ("u64", "Q", "i64"),
        ("fp16", "e", "half"),
        ("bf16", "H", "bfloat"),
        ("fp32", "f", "float"),
        ("fp64", "d", "double"),
        ("*kfp16", "P", "ptr addrspace(1)"),
    ],
)
def test_scalars_and_pointers(type_name, format_, llvm):
    assert entry_formats(signature(type_name), [llvm]) == (format_,)


def test_items_of_tuples_are_arguments_and_constants_are_not():
    types = signature(("*fp32", "i32"), "constexpr", "bf16")
    assert entry_formats(types, ["ptr addrspace(1)", "i32", "bfloat"]) == ("P", "i", "H")


def test_the_forms_of_descriptors():
    types = signature("tensordesc<fp16[64, 32]>")
    ints = ["i32", "i32", "i64", "i64"]
    pointer = ["ptr addrspace(1)", "i64", "i64", "i64", "i64", "i1", "i1", *ints]
    assert "".join(entry_formats(types, pointer)) == "Pqqqq??iiqq"
    assert entry_formats(types, ["ptr", *ints]) == ("128s", "i", "i", "q", "q")
    assert "".join(entry_formats(types, ["ptr addrspace(1)", *ints])) == "Piiqq"
    for entry, form in ((pointer, "tensor"), (["ptr", *ints], "TMA"), (pointer[:1] + ints, "TDM")):
        assert descriptor_form([*entry_formats(types, entry), "i"]) == form


def test_the_layout_of_a_descriptor_has_no_arguments():
    layout = "NVMMASharedLayout(swizzle_byte_width=64, element_bitwidth=16, rank=2)"
    types = signature(f"tensordesc<fp16[64, 32],{layout}>")
    entry = ["ptr", "i32", "i32", "i64", "i64"]
    assert entry_formats(types, entry) == ("128s", "i", "i", "q", "q")


def test_an_entry_with_other_types_is_an_error():
    with pytest.raises(CodegenError, match="arguments do not match its signature") as caught:
        entry_formats(signature("*fp32", "i32"), ["ptr addrspace(1)", "i64"])
    assert "found: ptr addrspace(1), i64" in str(caught.value)
    assert "accepted: ptr addrspace(1), i32" in str(caught.value)
