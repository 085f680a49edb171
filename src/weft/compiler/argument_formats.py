"""The `struct` formats of the arguments of a compiled kernel's entry, from its signature.

"*fp32"                     "P"                 the address
"u32"                       "I"                 the number in its own width
"bf16"                      "H"                 the bits of the bfloat16
"tensordesc<fp16[64, 32]>"  "P" "qq" "qq" "??"  base, shape, strides, NaN padding, round to tf32
                            "ii" "qq"           shape and strides once more, for the kernel
the same, loaded by TMA     "128s"              the CUtensorMap, passed by value
                            "ii" "qq"           shape and strides
the same, loaded by TDM     "P" "ii" "qq"       base, shape and strides
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from weft.compiler.signature import Signature
from weft.errors import CodegenError

__all__ = [
    "DESCRIPTOR_PREFIX",
    "DescriptorForm",
    "descriptor_form",
    "entry_formats",
    "type_formats",
]

DescriptorForm = Literal["tensor", "TMA", "TDM"]
"""How an entry takes descriptors: as a tensor whose addresses the kernel computes, or for TMA or
TDM."""
_FORMS: tuple[DescriptorForm, ...] = ("tensor", "TMA", "TDM")

DESCRIPTOR_PREFIX = "tensordesc<"
_TENSOR_MAP = "128s"
_SCALAR_FORMATS = {
    "u1": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I",
    "u64": "Q", "fp16": "e", "bf16": "H", "fp32": "f", "fp64": "d",
}  # fmt: skip
_LLVM_TYPES = {
    "?": "i1", "b": "i8", "B": "i8", "h": "i16", "H": "i16", "i": "i32", "I": "i32",
    "q": "i64", "Q": "i64", "e": "half", "f": "float", "d": "double",
    "P": "ptr addrspace(1)", _TENSOR_MAP: "ptr",
}  # fmt: skip


def entry_formats(signature: Signature, entry_types: Sequence[str]) -> tuple[str, ...]:
    """List the format of each argument of a kernel's entry.

    Args:
        signature: The kernel's signature.
        entry_types: The LLVM types of the entry's arguments.

    Raises:
        CodegenError: The entry's types do not follow from the signature.
    """
    accepted: list[str] = []
    for form in _FORMS:
        pairs = [
            (type_name, format_)
            for _, type_name in signature.runtime_arguments()
            for format_ in type_formats(type_name, form)
        ]
        expected = ["bfloat" if name == "bf16" else _LLVM_TYPES[format_] for name, format_ in pairs]
        if expected == list(entry_types):
            return tuple(format_ for _, format_ in pairs)
        accepted.append(", ".join(expected))
    raise CodegenError(
        "the compiled kernel's arguments do not match its signature",
        found=", ".join(entry_types),
        accepted=list(dict.fromkeys(accepted)),
    )


def descriptor_form(formats: Sequence[str]) -> DescriptorForm:
    """Find the form of a descriptor from the formats of its arguments, which may be followed."""
    if formats[0] == _TENSOR_MAP:
        return "TMA"
    return "tensor" if formats[1] == "q" else "TDM"


def type_formats(type_name: str, form: DescriptorForm) -> list[str]:
    """List the formats of the arguments that one type of a signature becomes.

    Args:
        type_name: A type as signatures name it, not a constexpr.
        form: How the kernel takes descriptors.
    """
    if type_name.startswith("*"):
        return ["P"]
    if type_name.startswith(DESCRIPTOR_PREFIX):
        shape = type_name.partition("[")[2].partition("]")[0]
        rank = shape.count(",") + 1
        parts = {
            "tensor": ["P", *["q"] * (2 * rank), "?", "?"],
            "TMA": [_TENSOR_MAP],
            "TDM": ["P"],
        }
        return [*parts[form], *["i"] * rank, *["q"] * rank]
    return [_SCALAR_FORMATS[type_name]]
