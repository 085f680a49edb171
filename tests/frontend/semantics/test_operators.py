"""The operations of each operator, and the errors of invalid operands."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.frontend.semantics.bench import Bench
from weft.errors import TypeMismatchError, UnsupportedError, WeftError
from weft.language.constexpr import constexpr
from weft.language.dtypes import float16, int32

NAMES = "i1 i8 u8 i16 u16 i32 u32 i64 u64 fp8e4nv fp8e5 fp16 bf16 fp32 fp64".split()
BINARY = "+ - * / // % & | ^ << >>".split()
COMPARISONS = "< <= > >= == !=".split()


def emitted(op: str, *types: str, right: object = None) -> list[str]:
    bench = Bench(*types)
    operands = [*bench.args, *([] if right is None else [constexpr(right)])]
    emit = bench.emitter.compare if op in COMPARISONS else bench.emitter.binary
    return bench.lines(emit(op, *operands))


@pytest.mark.parametrize(
    ("op", "types", "right", "last"),
    [
        ("+", ("i32", "i32"), None, "arith.addi %arg0, %arg1 : i32"),
        ("*", ("fp16[8]", "fp16[8]"), None, "arith.mulf %arg0, %arg1 : tensor<8xf16>"),
        ("+", ("u8",), 3, "arith.addi %arg0, %c3_i8 : i8"),
        ("//", ("u32", "u32"), None, "arith.divui %arg0, %arg1 : i32"),
        ("//", ("i32", "i32"), None, "arith.divsi %arg0, %arg1 : i32"),
        ("%", ("fp32", "fp32"), None, "arith.remf %arg0, %arg1 : f32"),
        ("%", ("i32", "i32"), None, "arith.remsi %arg0, %arg1 : i32"),
        (">>", ("i32", "i32"), None, "arith.shrsi %arg0, %arg1 : i32"),
        (">>", ("u32", "u32"), None, "arith.shrui %arg0, %arg1 : i32"),
        ("<<", ("i32", "i32"), None, "arith.shli %arg0, %arg1 : i32"),
        ("&", ("i1", "i1"), None, "arith.andi %arg0, %arg1 : i1"),
        ("+", ("*fp32", "i32"), None, "tt.addptr %arg0, %arg1 : !tt.ptr<f32>, i32"),
        ("+", ("i32", "*fp32"), None, "tt.addptr %arg1, %arg0 : !tt.ptr<f32>, i32"),
        ("<", ("u32", "u32"), None, "arith.cmpi ult, %arg0, %arg1 : i32"),
        ("!=", ("fp32", "fp32"), None, "arith.cmpf une, %arg0, %arg1 : f32"),
        (">=", ("i64", "i64"), None, "arith.cmpi sge, %arg0, %arg1 : i64"),
    ],
)
def test_binary(op, types, right, last):
    assert emitted(op, *types, right=right)[-1] == last


def test_fp16_is_divided_in_fp32():
    assert emitted("/", "fp16", "fp16") == [
        "arith.extf %arg0 : f16 to f32",
        "arith.extf %arg1 : f16 to f32",
        "arith.divf %0, %1 : f32",
    ]


def test_unsigned_offset_is_extended():
    assert (
        emitted("+", "*fp32[8]", "u32[8]")[0]
        == "arith.extui %arg1 : tensor<8xi32> to tensor<8xi64>"
    )


def test_pointer_minus_an_offset():
    assert [line.split()[0] for line in emitted("-", "*fp32", "i32")] == [
        "arith.constant",
        "arith.subi",
        "tt.addptr",
    ]


def test_number_in_a_comparison_keeps_its_type():
    assert emitted("<", "u8", right=300)[-1] == "arith.cmpi slt, %0, %c300_i32 : i32"


def test_operands_are_broadcast():
    assert emitted("+", "i32[4, 1]", "i32[8]") == [
        "tt.expand_dims %arg1 {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>",
        "tt.broadcast %arg0 : tensor<4x1xi32> -> tensor<4x8xi32>",
        "tt.broadcast %0 : tensor<1x8xi32> -> tensor<4x8xi32>",
        "arith.addi %1, %2 : tensor<4x8xi32>",
    ]


def test_splat_of_a_constant_folds():
    assert (
        emitted("*", "fp32[8]", right=2.0)[1]
        == "arith.constant dense<2.000000e+00> : tensor<8xf32>"
    )


def test_large_number_becomes_infinity():
    assert "0x7C00" in emitted("*", "fp16", right=1e30)[-2]


def test_unary():
    bench = Bench("i32[8]", "fp32", "i1")
    block, scalar, truth = bench.args
    emit = bench.emitter
    lines = bench.lines(emit.unary("-", scalar), emit.unary("~", block), emit.logical_not(truth))
    assert "arith.subf %cst, %arg1 : f32" in lines
    assert "arith.xori %arg0, %cst_0 : tensor<8xi32>" in lines
    assert "arith.xori %arg2, %true : i1" in lines
    assert emit.unary("+", scalar) is scalar


def test_logic():
    bench = Bench("i1[8]", "i1")
    block, scalar = bench.args
    lines = bench.lines(
        bench.emitter.logical_and(block, scalar), bench.emitter.logical_or(block, constexpr(True))
    )
    assert "arith.andi %arg0, %0 : tensor<8xi1>" in lines
    assert "arith.ori %arg0, %cst : tensor<8xi1>" in lines


def test_truth_of_a_scalar():
    bench = Bench("i32")
    assert bench.emitter.truth(bench.args[0]).owner.name == "arith.cmpi"


def test_subscripts():
    bench = Bench("i32[8]", "i32")
    block, scalar = bench.args
    whole = slice(None)
    column = bench.emitter.getitem(block, constexpr((whole, None)))
    assert column.shape == (8, 1)
    assert bench.emitter.getitem(scalar, constexpr(None)).shape == (1,)
    assert bench.emitter.getitem(scalar, constexpr((None, whole))).shape == (1,)
    assert bench.emitter.getitem(scalar, constexpr((whole, None))).shape == (1,)


def test_attributes_and_methods():
    bench = Bench("fp16[8, 4]")
    (block,) = bench.args
    emit = bench.emitter
    assert emit.attribute(block, "dtype").value == float16
    assert [n.value for n in emit.attribute(block, "shape").items] == [8, 4]
    assert emit.attribute(block, "numel").value == 32
    assert emit.attribute(block, "type").value == block.type
    assert emit.attribute(block, "T").shape == (4, 8)
    assert emit.attribute(block, "sum").function.name == "sum"
    assert emit.attribute(block, "to").function.qualified_name == "cast"
    assert emit.attribute(block, "item").function.qualified_name == "tensor.item"


@pytest.mark.parametrize(
    ("op", "types", "right", "fragments"),
    [
        (
            "//",
            ("fp32", "i32"),
            None,
            ("unexpected type fp32: // requires integers", "use tl.floor(a / b)"),
        ),
        ("//", ("i32", "u32"), None, ("same signedness", "int32 and uint32")),
        (
            "&",
            ("fp32", "i32"),
            None,
            ("invalid operands of type fp32 and int32: & requires", "found: fp32", "bitcast=True"),
        ),
        ("^", ("i32",), 1.5, ("invalid operands of type fp32 and fp32: ^ requires integers",)),
        (
            "**",
            ("fp32", "fp32"),
            None,
            ("operator ** is not implemented for tensors", "libdevice.pow"),
        ),
        ("**", ("fp32",), 2, ("operator ** is not implemented for tensors", "multiply, or use")),
        ("+", ("*fp32", "*fp32"), None, ("cannot add pointers together",)),
        ("+", ("*fp32", "fp32"), None, ("invalid operands of type pointer<fp32> and fp32",)),
        ("*", ("*fp32", "i32"), None, ("invalid operands of type pointer<fp32> and int32",)),
        (
            "==",
            ("*fp32", "i32"),
            None,
            ("invalid operands of type pointer<fp32> and int32", "tl.int64"),
        ),
        (
            "+",
            ("i8",),
            1000,
            ("scalar 1000 is out of range for type int8", "accepted: -128 to 127"),
        ),
        ("+", ("u8",), -1, ("scalar -1 is out of range for type uint8", "accepted: 0 to 255")),
        (
            "+",
            ("i32[8]", "i32[4]"),
            None,
            ("incompatible dimensions at index 0: 8 and 4", "(8,) and (4,)"),
        ),
        ("+", ("fp8e5", "i32"), None, ("an 8-bit float and an integer",)),
        ("+", ("i32",), 2**70, ("Nonrepresentable integer 1180591620717411303424",)),
        ("+", ("i32",), "x", ("cannot convert the constant 'x' to tensor", "the constant 'x'")),
    ],
)
def test_invalid_operands(op, types, right, fragments):
    with pytest.raises(TypeMismatchError) as caught:
        emitted(op, *types, right=right)
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_matmul_operator():
    with pytest.raises(UnsupportedError, match="operator @ is not implemented for tensors"):
        emitted("@", "fp32[8]", "fp32[8]")


def test_unsupported_comparison():
    bench = Bench("i32")
    with pytest.raises(
        UnsupportedError, match="comparison operator in is not implemented for tensors"
    ):
        bench.emitter.compare("in", *bench.args, *bench.args)


@pytest.mark.parametrize(
    ("act", "fragments"),
    [
        (lambda e, b, s: e.unary("-", s), ("wrong type argument to unary minus (pointer<fp32>)",)),
        (lambda e, b, s: e.unary("+", s), ("wrong type argument to unary plus (pointer<fp32>)",)),
        (lambda e, b, s: e.unary("~", b), ("wrong type argument to unary invert (fp32)",)),
        (
            lambda e, b, s: e.logical_not(b),
            ("`not` requires boolean operands", "compare with zero"),
        ),
        (
            lambda e, b, s: e.truth(b),
            ("Boolean value of Tensor with more than one value is", "tl.where"),
        ),
        (
            lambda e, b, s: e.getitem(b, constexpr(3)),
            ("unsupported tensor index: 3 (int)", "tl.gather"),
        ),
        (
            lambda e, b, s: e.getitem(b, constexpr((slice(None),) * 2)),
            ("too many indices for tensor", "2 for shape (8,)"),
        ),
        (
            lambda e, b, s: e.to_value(constexpr(int32)),
            ("cannot convert the constant weft.language.int32 to",),
        ),
        (lambda e, b, s: e.attribute(b, "smu"), ("no attribute smu", "did you mean sum")),
    ],
)
def test_errors_of_one_operand(act, fragments):
    bench = Bench("fp32[8]", "*fp32")
    with pytest.raises(WeftError) as caught:
        act(bench.emitter, *bench.args)
    for fragment in fragments:
        assert fragment in str(caught.value)


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from(BINARY + COMPARISONS))
def test_every_pair_works_or_is_an_error(a, b, op):
    bench = Bench(f"{a}[8]", b)
    emit = bench.emitter.compare if op in COMPARISONS else bench.emitter.binary
    try:
        result = emit(op, *bench.args)
    except TypeMismatchError:
        return
    assert result.shape == (8,)
    bench.returned(result)
