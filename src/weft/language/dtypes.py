"""Element types: integers and floats of each width, with their properties.

`float16` is the element type named "fp16". `_ROWS` lists width, signedness, mantissa and bias of
each type. Pointers and blocks are in `compound_types`.
"""

from __future__ import annotations

import enum
from typing import ClassVar

from weft.errors import (
    CompilationError,
    ErrorForm,
    TypeMismatchError,
    UnsupportedError,
    did_you_mean,
)
from weft.language.base_values import base_type
from weft.language.constexpr import constexpr_function, unwrap


class Kind(enum.Enum):
    """The kind of numbers that a type represents."""

    BOOLEAN = 0
    INTEGRAL = 1
    FLOATING = 2
    VOID = 3


_INTEGER = Kind.INTEGRAL
# name: (name in triton.language, name in a signature, kind, bits, signed, mantissa bits, bias)
_ROWS: dict[str, tuple[str, str, Kind, int, bool, int, int]] = {
    "void": ("void", "void", Kind.VOID, 0, False, 0, 0),
    "int1": ("int1", "i1", Kind.BOOLEAN, 1, False, 0, 0),
    "int8": ("int8", "i8", Kind.INTEGRAL, 8, True, 0, 0),
    "int16": ("int16", "i16", Kind.INTEGRAL, 16, True, 0, 0),
    "int32": ("int32", "i32", Kind.INTEGRAL, 32, True, 0, 0),
    "int64": ("int64", "i64", Kind.INTEGRAL, 64, True, 0, 0),
    "uint8": ("uint8", "u8", Kind.INTEGRAL, 8, False, 0, 0),
    "uint16": ("uint16", "u16", Kind.INTEGRAL, 16, False, 0, 0),
    "uint32": ("uint32", "u32", Kind.INTEGRAL, 32, False, 0, 0),
    "uint64": ("uint64", "u64", Kind.INTEGRAL, 64, False, 0, 0),
    "fp8e4b15": ("float8e4b15", "fp8e4b15", Kind.FLOATING, 8, True, 3, 15),
    "fp8e4nv": ("float8e4nv", "fp8e4nv", Kind.FLOATING, 8, True, 3, 7),
    "fp8e4b8": ("float8e4b8", "fp8e4b8", Kind.FLOATING, 8, True, 3, 8),
    "fp8e5": ("float8e5", "fp8e5", Kind.FLOATING, 8, True, 2, 15),
    "fp8e5b16": ("float8e5b16", "fp8e5b16", Kind.FLOATING, 8, True, 2, 16),
    "fp16": ("float16", "fp16", Kind.FLOATING, 16, True, 10, 15),
    "bf16": ("bfloat16", "bf16", Kind.FLOATING, 16, True, 7, 127),
    "fp32": ("float32", "fp32", Kind.FLOATING, 32, True, 23, 127),
    "fp64": ("float64", "fp64", Kind.FLOATING, 64, True, 52, 1023),
}


class Signedness(enum.Enum):
    """Whether an integer type has a sign."""

    SIGNED = 0
    UNSIGNED = 1


class dtype(base_type):
    """An element type.

    Args:
        name: "fp32", "int32", "bf16", …

    Raises:
        TypeMismatchError: The name is unknown.
    """

    __slots__ = ("name",)
    name: str
    SINT_TYPES: ClassVar = [name for name, row in _ROWS.items() if row[2] is _INTEGER and row[4]]
    UINT_TYPES: ClassVar = ["int1", "uint8", "uint16", "uint32", "uint64"]
    FP_TYPES: ClassVar = [name for name, row in _ROWS.items() if row[2] is Kind.FLOATING]
    STANDARD_FP_TYPES: ClassVar = ["fp16", "bf16", "fp32", "fp64"]
    OTHER_TYPES: ClassVar = ["void"]
    SIGNEDNESS: ClassVar = Signedness
    KIND: ClassVar = Kind

    def __init__(self, name: str) -> None:
        name = str(unwrap(name))
        if name not in _ROWS:
            hint = did_you_mean(name, _ROWS)
            raise TypeMismatchError(
                "unknown element type", found=name, accepted=sorted(_ROWS), hint=hint
            )
        self.name = name

    @property
    def codegen_name(self) -> str:
        """The name of the type in `triton.language` ("float32")."""
        return _ROWS[self.name][0]

    @property
    def signature_name(self) -> str:
        """The name of the type in a signature ("i32", "fp16")."""
        return _ROWS[self.name][1]

    @property
    def element_kind(self) -> Kind:
        """The kind of the type."""
        return _ROWS[self.name][2]

    @property
    def primitive_bitwidth(self) -> int:
        """The width in bits."""
        return _ROWS[self.name][3]

    @property
    def int_bitwidth(self) -> int:
        """The width in bits of an integer type."""
        return self.primitive_bitwidth

    @property
    def itemsize(self) -> int:
        """The width in whole bytes."""
        return self.primitive_bitwidth // 8

    @property
    def fp_mantissa_width(self) -> int:
        """The number of explicit mantissa bits of a floating-point type."""
        return _ROWS[self.name][5]

    @property
    def exponent_bias(self) -> int:
        """The exponent bias of a floating-point type."""
        return _ROWS[self.name][6]

    @property
    def int_signedness(self) -> Signedness:
        """The signedness of an integer type."""
        return Signedness.SIGNED if self.is_int_signed() else Signedness.UNSIGNED

    @property
    def cache_key_part(self) -> str:
        """The type's part of a key of compiled kernels."""
        return self.name

    @property
    def scalar(self) -> dtype:
        """The type of one element."""
        return self

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape: () except for a block."""
        return ()

    def kind(self) -> Kind:
        """Return the kind of the type."""
        return self.element_kind

    def is_floating(self) -> bool:
        """Check whether the type is a floating-point type."""
        return self.element_kind is Kind.FLOATING

    def is_standard_floating(self) -> bool:
        """Check whether the type is fp16, bf16, fp32 or fp64."""
        return self.is_floating() and self.primitive_bitwidth > 8

    def is_fp8(self) -> bool:
        """Check whether the type is an 8-bit floating-point type."""
        return self.is_floating() and self.primitive_bitwidth == 8

    def is_int(self) -> bool:
        """Check whether the type is an integer, int1 included."""
        return self.element_kind in (Kind.INTEGRAL, Kind.BOOLEAN)

    def is_int_signed(self) -> bool:
        """Check whether the type is a signed integer."""
        return self.element_kind is Kind.INTEGRAL and _ROWS[self.name][4]

    def is_int_unsigned(self) -> bool:
        """Check whether the type is an unsigned integer, int1 included."""
        return self.is_int() and not _ROWS[self.name][4]

    def is_bool(self) -> bool:
        """Check whether the type is int1."""
        return self.element_kind is Kind.BOOLEAN

    def is_void(self) -> bool:
        """Check whether the type is void."""
        return self.element_kind is Kind.VOID

    def is_int8(self) -> bool:
        """Check whether the type is int8."""
        return self.name == "int8"

    def is_int16(self) -> bool:
        """Check whether the type is int16."""
        return self.name == "int16"

    def is_int32(self) -> bool:
        """Check whether the type is int32."""
        return self.name == "int32"

    def is_int64(self) -> bool:
        """Check whether the type is int64."""
        return self.name == "int64"

    def is_uint8(self) -> bool:
        """Check whether the type is uint8."""
        return self.name == "uint8"

    def is_uint16(self) -> bool:
        """Check whether the type is uint16."""
        return self.name == "uint16"

    def is_uint32(self) -> bool:
        """Check whether the type is uint32."""
        return self.name == "uint32"

    def is_uint64(self) -> bool:
        """Check whether the type is uint64."""
        return self.name == "uint64"

    def is_fp8e4b15(self) -> bool:
        """Check whether the type is fp8e4b15."""
        return self.name == "fp8e4b15"

    def is_fp8e4nv(self) -> bool:
        """Check whether the type is fp8e4nv."""
        return self.name == "fp8e4nv"

    def is_fp8e4b8(self) -> bool:
        """Check whether the type is fp8e4b8."""
        return self.name == "fp8e4b8"

    def is_fp8e5(self) -> bool:
        """Check whether the type is fp8e5."""
        return self.name == "fp8e5"

    def is_fp8e5b16(self) -> bool:
        """Check whether the type is fp8e5b16."""
        return self.name == "fp8e5b16"

    def is_fp16(self) -> bool:
        """Check whether the type is fp16."""
        return self.name == "fp16"

    def is_bf16(self) -> bool:
        """Check whether the type is bf16."""
        return self.name == "bf16"

    def is_fp32(self) -> bool:
        """Check whether the type is fp32."""
        return self.name == "fp32"

    def is_fp64(self) -> bool:
        """Check whether the type is fp64."""
        return self.name == "fp64"

    def is_int1(self) -> bool:
        """Check whether the type is int1."""
        return self.name == "int1"

    def is_ptr(self) -> bool:
        """Check whether the type is a pointer."""
        return False

    def is_block(self) -> bool:
        """Check whether the type is a block."""
        return False

    def is_const(self) -> bool:
        """Check whether the type is a pointer that cannot be stored to."""
        return False

    @staticmethod
    def is_dtype(type_str: str) -> bool:
        """Check whether a text names an element type."""
        return type_str in _ROWS

    def to_ir(self, builder: object) -> object:
        """Refuse: Triton's MLIR builder is not weft's.

        Raises:
            UnsupportedError: Always.
        """
        raise UnsupportedError(
            "weft has no MLIR builder", found=f"{self}.to_ir", hint="weft.compile returns the IR"
        )

    def get_int_max_value(self) -> int:
        """Return the largest value of an integer type."""
        bits = self._integer_bits()
        return (1 << (bits - 1)) - 1 if self.is_int_signed() else (1 << bits) - 1

    def get_int_min_value(self) -> int:
        """Return the smallest value of an integer type."""
        bits = self._integer_bits()
        return -(1 << (bits - 1)) if self.is_int_signed() else 0

    def _integer_bits(self) -> int:
        if not self.is_int():
            raise TypeMismatchError("expected an integer type", found=self)
        return self.primitive_bitwidth

    def with_element_ty(self, element_ty: dtype) -> dtype:
        """Return this type with other elements: `element_ty` itself for a scalar type."""
        return element_ty

    def mangle(self) -> str:
        """Return the type's part of a mangled function name."""
        if self.is_int():
            return ("i" if self.is_int_signed() else "u") + str(self.primitive_bitwidth)
        return self.name

    def __eq__(self, other: object) -> bool:
        return type(other) is dtype and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        # Programs for Triton evaluate it.
        package = "triton" if ErrorForm.is_triton else "weft"
        return f"{package}.language.{self.codegen_name}"


void = dtype("void")
int1 = dtype("int1")
int8 = dtype("int8")
int16 = dtype("int16")
int32 = dtype("int32")
int64 = dtype("int64")
uint8 = dtype("uint8")
uint16 = dtype("uint16")
uint32 = dtype("uint32")
uint64 = dtype("uint64")
float8e4b15 = dtype("fp8e4b15")
float8e4nv = dtype("fp8e4nv")
float8e4b8 = dtype("fp8e4b8")
float8e5 = dtype("fp8e5")
float8e5b16 = dtype("fp8e5b16")
float16 = dtype("fp16")
bfloat16 = dtype("bf16")
float32 = dtype("fp32")
float64 = dtype("fp64")

SIGNATURE_TYPES: dict[str, dtype] = {
    **{row[1]: dtype(name) for name, row in _ROWS.items() if name != "void"},
    "u1": int1,
    "f16": float16,
    "f32": float32,
    "f64": float64,
}
"""Element types by their name in a signature ("i32", "fp16", …)."""

_SIGNED = {1: int1, 8: int8, 16: int16, 32: int32, 64: int64}
_UNSIGNED = {1: int1, 8: uint8, 16: uint16, 32: uint32, 64: uint64}


@constexpr_function
def get_int_dtype(bitwidth: int, signed: bool) -> dtype:
    """Return the integer type of a width in bits: `tl.int32` for 32 and True.

    Raises:
        CompilationError: No integer type has this width.
    """
    integer = (_SIGNED if signed else _UNSIGNED).get(bitwidth)
    if integer is None:
        raise CompilationError(
            f"Unsupported bitwidth {bitwidth} and signedness {signed}",
            found=bitwidth,
            accepted=list(_SIGNED),
        )
    return integer


@constexpr_function
def get_primitive_bitwidth(dtype: str) -> int:
    """Return the width in bits of an element type, by its name in a signature or its own."""
    by_name = {**_ROWS, **{row[1]: row for row in _ROWS.values()}, "u1": _ROWS["int1"]}
    return by_name[dtype][3]
