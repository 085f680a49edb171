"""The operations of each builtin, and the errors of invalid calls."""

from __future__ import annotations

import importlib
from importlib.resources import files
from pathlib import Path

import pytest

import weft.language as tl
from tests.frontend.semantics.bench import Bench
from tests.frontend.semantics.facts import CUDA_90, GFX942, GFX1100
from weft.errors import CompilationError, UnsupportedError, WeftError
from weft.frontend.options import FrontendOptions
from weft.frontend.semantics import builtins
from weft.frontend.semantics.builtins import LIBDEVICE, MODULES, implementation_of
from weft.language.builtin import Builtin
from weft.language.extra.math_library import FUNCTIONS
from weft.language.kernel_function import kernel_function
from weft.language.tensor_descriptors import METHODS

LOWERED_BY_THE_TREE = {"condition", "range", "static_assert", "static_print", "static_range"}


def test_every_declaration_has_an_implementation():
    declared = {
        value.qualified_name
        for name in tl.__all__
        if isinstance(value := getattr(tl, name), Builtin)
    }
    declared |= {method.qualified_name for method in METHODS.values()}
    declared |= {f"extra.libdevice.{name}" for name in FUNCTIONS}
    assert not {name for name in declared - LOWERED_BY_THE_TREE if implementation_of(name) is None}


def test_every_module_has_the_listed_builtins():
    folder = Path(str(files(builtins)))
    assert {path.stem for path in folder.glob("*.py") if "TABLE" in path.read_text()} == {
        "__init__",
        LIBDEVICE,
        *MODULES,
    }
    for file, names in MODULES.items():
        table = importlib.import_module(f"{builtins.__name__}.{file}").TABLE
        assert sorted(names.split()) == sorted(table)
        assert not any(f".{LIBDEVICE}." in name for name in table)


def emitted(types, function, *args, options: FrontendOptions = CUDA_90, **kwargs) -> list[str]:
    """Call `function` on arguments of `types`, followed by `args`; return what was emitted."""
    bench = Bench(*types, options=options)
    result = bench.call(function, *bench.args, *args, **kwargs)
    return bench.lines(result)


LAST = [
    ((), tl.program_id, (1,), {}, "tt.get_program_id y : i32"),
    ((), tl.num_programs, (0,), {}, "tt.get_num_programs x : i32"),
    ((), tl.arange, (0, 8), {}, "tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>"),
    (
        (),
        tl.full,
        ((4,), 1 << 31, tl.int32),
        {},
        "arith.constant dense<-2147483648> : tensor<4xi32>",
    ),
    (
        (),
        tl.arange,
        (False, True),
        {},
        "tt.make_range {end = 1 : i32, start = 0 : i32} : tensor<1xi32>",
    ),
    (
        (),
        tl.full,
        ((4, 4), 2, tl.float16),
        {},
        "arith.constant dense<2.000000e+00> : tensor<4x4xf16>",
    ),
    ((), tl.to_tensor, (3,), {}, "arith.constant 3 : i32"),
    (("fp32",), tl.cast, (tl.int32, None, True), {}, "tt.bitcast %arg0 : f32 -> i32"),
    (("*fp16[8]",), tl.load, (), {}, "tt.load %arg0 : tensor<8x!tt.ptr<f16>>"),
    (
        ("*fp16",),
        tl.load,
        (),
        {"cache_modifier": ".cg", "eviction_policy": "evict_first", "volatile": True},
        "tt.load %arg0 cacheModifier = cg evictionPolicy = evict_first "
        "{isVolatile = true} : !tt.ptr<f16>",
    ),
    (("*fp32[8]", "fp32[8]"), tl.store, (), {}, "tt.store %arg0, %arg1 : tensor<8x!tt.ptr<f32>>"),
    (
        ("block*fp16[16, 32]",),
        tl.load,
        (),
        {"boundary_check": (1, 0), "padding_option": "nan"},
        "tt.load %arg0 {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} "
        ": !tt.ptr<tensor<16x32xf16>>",
    ),
    (
        ("*i32[8]", "i32[8]", "i1[8]"),
        tl.atomic_max,
        (),
        {"sem": "relaxed", "scope": "cta"},
        "tt.atomic_rmw max, relaxed, cta, %arg0, %arg1, %arg2 : "
        "(tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) -> tensor<8xi32>",
    ),
    (
        ("*i32", "i32", "i32"),
        tl.atomic_cas,
        (),
        {},
        "tt.atomic_cas acq_rel, gpu, %arg0, %arg1, %arg2 : (!tt.ptr<i32>, i32, i32) -> i32",
    ),
    (
        ("i32[8, 4]",),
        tl.trans,
        (),
        {},
        "tt.trans %arg0 {order = array<i32: 1, 0>} : tensor<8x4xi32> -> tensor<4x8xi32>",
    ),
    (("i32[8]",), tl.reshape, (2, 4), {}, "tt.reshape %arg0 : tensor<8xi32> -> tensor<2x4xi32>"),
    (
        ("i32[8]",),
        tl.view,
        ((2, 4),),
        {},
        "tt.reshape %arg0 allow_reorder : tensor<8xi32> -> tensor<2x4xi32>",
    ),
    (
        ("i32[8]", "i32[8]"),
        tl.join,
        (),
        {},
        "tt.join %arg0, %arg1 : tensor<8xi32> -> tensor<8x2xi32>",
    ),
    (("i32[8, 2]",), tl.split, (), {}, "tt.split %arg0 : tensor<8x2xi32> -> tensor<8xi32>"),
    (
        (
            "i32[8]",
            "i32[8]",
        ),
        tl.cat,
        (True,),
        {},
        "tt.cat %arg0, %arg1 : tensor<8xi32> -> tensor<16xi32>",
    ),
    (("i32[8]",), tl.histogram, (16,), {}, "tt.histogram %arg0 : tensor<8xi32> -> tensor<16xi32>"),
    (
        ("fp32[8, 4]", "i32[8, 16]"),
        tl.gather,
        (-1,),
        {},
        "tt.gather %arg0[%arg1] {axis = 1 : i32} : "
        "(tensor<8x4xf32>, tensor<8x16xi32>) -> tensor<8x16xf32>",
    ),
    (("fp32",), tl.exp, (), {}, "math.exp %arg0 : f32"),
    (("fp32",), tl.sqrt_rn, (), {}, "tt.precise_sqrt %arg0 : f32"),
    (("fp32", "fp32"), tl.div_rn, (), {}, "tt.precise_divf %arg0, %arg1 : f32"),
    (("i32",), tl.abs, (), {}, "math.absi %arg0 : i32"),
    (("fp16", "fp16", "fp16"), tl.fma, (), {}, "math.fma %arg0, %arg1, %arg2 : f16"),
    (("u32", "u32"), tl.umulhi, (), {}, "tt.mulhiui %arg0, %arg1 : i32"),
    (
        ("fp32", "fp32", "fp32"),
        tl.clamp,
        (),
        {},
        "tt.clampf %arg0, %arg1, %arg2, propagateNan = none : f32",
    ),
    (
        ("fp32", "fp32"),
        tl.maximum,
        (),
        {"propagate_nan": tl.PropagateNan.ALL},
        "arith.maximumf %arg0, %arg1 : f32",
    ),
    (("u32", "u32"), tl.minimum, (), {}, "arith.minui %arg0, %arg1 : i32"),
    (("i1", "fp32", "fp32"), tl.where, (), {}, "arith.select %arg0, %arg1, %arg2 : f32"),
    (("i1",), tl.assume, (), {}, "llvm.intr.assume %arg0 : i1"),
    ((), tl.debug_barrier, (), {}, "ttg.barrier all"),
    (
        ("fp32",),
        tl.extra.libdevice.tanh,
        (),
        {},
        'tt.extern_elementwise %arg0 {libname = "", libpath = "", pure = true, '
        'symbol = "__nv_tanhf"} : (f32) -> f32',
    ),
    (
        (),
        tl.extra.cuda.smid,
        (),
        {},
        'tt.elementwise_inline_asm "mov.u32 $0, %smid;" '
        '{constraints = "=r", packed_element = 1 : i32, pure = true} -> i32',
    ),
    (
        (),
        tl.extra.cuda.gdc_wait,
        (),
        {},
        'tt.elementwise_inline_asm "griddepcontrol.wait; // dummy $0" '
        '{constraints = "=r", packed_element = 1 : i32, pure = false} -> i32',
    ),
    (
        (),
        tl.extra.cuda.gdc_launch_dependents,
        (),
        {},
        'tt.elementwise_inline_asm "griddepcontrol.launch_dependents; // dummy $0" '
        '{constraints = "=r", packed_element = 1 : i32, pure = false} -> i32',
    ),
    (
        ("fp16[16, 32]", "fp16[32, 16]", "fp32[16, 16]"),
        tl.dot,
        (),
        {},
        "tt.dot %arg0, %arg1, %arg2, inputPrecision = tf32 : "
        "tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>",
    ),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "last"), LAST, ids=[row[4][:40] for row in LAST]
)
def test_last_operation(types, function, args, kwargs, last):
    assert emitted(types, function, *args, **kwargs)[-1] == last


def test_mask_and_other_of_a_load():
    assert emitted(("*fp16[8, 4]", "i1[4]"), tl.load, 0.0)[-3:] == [
        "arith.constant dense<0.000000e+00> : tensor<8x4xf32>",
        "arith.truncf %cst_0 : tensor<8x4xf32> to tensor<8x4xf16>",
        "tt.load %arg0, %1, %2 : tensor<8x4x!tt.ptr<f16>>",
    ]


def test_int1_is_a_byte_in_memory():
    names = [line.split()[0] for line in emitted(("*i1[8]",), tl.load)]
    assert names[:2] == ["tt.bitcast", "tt.load"]
    assert names[-1] == "arith.cmpi"
    names = [line.split()[0] for line in emitted(("*i1[8]", "i1[8]"), tl.store)]
    assert names == ["tt.bitcast", "arith.extui", "tt.store"]


def test_block_pointer():
    bench = Bench("*fp16", "i32")
    base, n = bench.args
    pointer = bench.call(tl.make_block_ptr, base, (n, 64), (64, 1), (0, 0), (16, 32), (1, 0))
    moved = bench.call(tl.advance, pointer, (0, n))
    bench.call(tl.store, moved, bench.call(tl.load, pointer), boundary_check=(0,))
    lines = bench.lines()
    assert lines[0] == "arith.extsi %arg1 : i32 to i64"
    assert any(line.startswith("tt.make_tensor_ptr %arg0") for line in lines)
    assert any(line.startswith("tt.advance") for line in lines)
    assert lines[-1].startswith("tt.store")
    assert "boundaryCheck = array<i32: 0>" in lines[-1]


def test_tensor_descriptor():
    bench = Bench("*i32", "i32")
    base, n = bench.args
    descriptor = bench.call(tl.make_tensor_descriptor, base, (n, 64), (64, 1), (16, 32))
    loaded = bench.call(bench.emitter.attribute(descriptor, "load"), (0, n))
    bench.call(bench.emitter.attribute(descriptor, "store"), (n, 0), loaded)
    bench.call(bench.emitter.attribute(descriptor, "atomic_xor"), (n, 0), loaded)
    assert bench.emitter.attribute(descriptor, "block_shape").items[1].value == 32
    assert bench.emitter.attribute(descriptor, "shape").items[0].type == tl.int32
    lines = bench.lines()
    assert any("tensor<16x32xsi32>" in line for line in lines)
    assert lines[-1].startswith("tt.descriptor_reduce xor")


def test_hints_are_attributes():
    bench = Bench("i32[8, 4]")
    doubled = bench.emitter.binary("+", *bench.args, *bench.args)
    bench.call(tl.max_contiguous, bench.call(tl.multiple_of, doubled, (8, 4)), (4, 4))
    (line,) = bench.lines(doubled)
    assert "tt.contiguity = dense<4> : tensor<2xi32>" in line
    assert "tt.divisibility = dense<[8, 4]> : tensor<2xi32>" in line


def test_float_maximum_is_two_integer_atomics():
    kinds = [line.split(",")[0] for line in emitted(("*fp32", "fp32"), tl.atomic_max)]
    assert [kind for kind in kinds if "rmw" in kind] == ["tt.atomic_rmw max", "tt.atomic_rmw umin"]


def test_device_print_and_assert():
    bench = Bench("i32", "i1", options=FrontendOptions(debug=True))
    n, condition = bench.args
    bench.call(tl.device_print, "n", n, hex=True)
    bench.call(tl.device_assert, condition, "no")
    assert bench.lines() == [
        'tt.print " n: " {hex = true, isSigned = array<i32: 1>} : %arg0 : i32',
        'tt.assert %arg1, "no" : i1',
    ]
    assert emitted(("i1",), tl.device_assert, "no") == []


def test_inline_asm():
    bench = Bench("fp32[8, 1]", "i32[4]")
    results = bench.call(
        tl.inline_asm_elementwise, "foo", "=r,=r,r,r", bench.args, (tl.int32, tl.float16), True, 2
    )
    assert [value.type for value in results.items] == [
        tl.block_type(tl.int32, (8, 4)),
        tl.block_type(tl.float16, (8, 4)),
    ]


def combine(e, *values):
    """Stand in for a kernel function: the bench calls it with the emitter."""
    half = len(values) // 2
    from weft.frontend.semantics.values import TupleValue

    return TupleValue(tuple(e.binary("+", values[i], values[half + i]) for i in range(half)))


COMBINE = kernel_function(combine)


def test_reduction_and_scan():
    bench = Bench("fp32[8, 4]", "i32[8, 4]")
    both = bench.call(tl.reduce, bench.args, 1, COMBINE, keep_dims=True)
    assert [value.shape for value in both.items] == [(8, 1), (8, 1)]
    whole = bench.call(tl.reduce, bench.args[0], None, COMBINE)
    assert whole.type == tl.float32
    running = bench.call(tl.associative_scan, bench.args[0], -1, COMBINE, reverse=True)
    text = "\n".join(bench.lines(both, whole, running))
    assert '"tt.reduce"(%arg0, %arg1) <{axis = 1 : i32}>' in text
    assert "tt.reshape %arg0 allow_reorder : tensor<8x4xf32> -> tensor<32xf32>" in text
    assert "<{axis = 1 : i32, reverse = true}>" in text


def test_map_elementwise():
    bench = Bench("fp32[8]", "fp32")
    result = bench.call(tl.map_elementwise, COMBINE, *bench.args)
    assert result.type == tl.block_type(tl.float32, [8])
    assert any("tt.map_elementwise" in line for line in bench.lines(result))


def test_device_assert_of_a_number():
    with pytest.raises(
        CompilationError, match=r"the condition of tl\.device_assert must have boolean"
    ):
        emitted(("i32",), tl.device_assert, "no", options=FrontendOptions(debug=True))


def test_target_info():
    for options, answers in ((CUDA_90, (True, False, False)), (GFX942, (False, True, True))):
        bench = Bench(options=options)
        asked = (tl.target_info.is_cuda, tl.target_info.is_hip, tl.target_info.is_hip_cdna3)
        assert tuple(bench.call(question).value for question in asked) == answers
    bench = Bench(options=CUDA_90)
    assert bench.call(tl.target_info.cuda_capability_geq, 8, 9).value
    assert not bench.call(tl.target_info.cuda_capability_geq, 10).value
    assert bench.call(tl.extra.cuda.num_threads).value == 128


def test_math_library_of_the_target():
    assert "__ocml_pow_f32" in emitted(("fp32", "fp32"), tl.extra.libdevice.pow, options=GFX942)[0]
    lines = emitted(("fp32",), tl.extra.cuda.libdevice.isnan, options=GFX942)
    assert "__nv_isnanf" in lines[0]
    assert lines[-1].startswith("arith.cmpi ne")


def test_dot_precision_of_the_target():
    types = ("fp32[16, 16]", "fp32[16, 16]")
    assert "inputPrecision = tf32" in emitted(types, tl.dot)[-1]
    assert "inputPrecision" not in emitted(types, tl.dot, allow_tf32=False)[-1]
    assert "inputPrecision" not in emitted(types, tl.dot, options=GFX1100)[-1]


def test_dot_of_int8_and_fp8():
    lines = emitted(("i8[16, 32]", "i8[32, 16]"), tl.dot)
    assert lines[-1].endswith("-> tensor<16x16xi32>")
    lines = emitted(("fp8e5[16, 32]", "fp8e4nv[32, 16]"), tl.dot)
    assert "maxNumImpreciseAcc = 1073741824" in lines[-1]


def test_dot_scaled():
    types = ("u8[128, 32]", "u8[128, 2]", "u8[64, 128]")
    bench = Bench(*types)
    a, scale, b = bench.args
    result = bench.call(tl.dot_scaled, a, scale, "e2m1", b, None, "e4m3")
    assert "lhs = e2m1 rhs = e4m3" in bench.lines(result)[-1]


BLOCK = "fp32[8]"
ERRORS = [
    (
        (),
        tl.program_id,
        (3,),
        {},
        ("program_id axis must be 0, 1, or 2 but got 3 (int)", "found: 3", "accepted: 0, 1, 2"),
    ),
    (
        (),
        tl.arange,
        (0, 100),
        {},
        ("arange's range must be a power of 2", "of 100 elements", "64, 128"),
    ),
    ((), tl.arange, (8, 0), {}, ("arange's end argument must be greater than the start",)),
    ((), tl.arange, (0, 2**40), {}, ("arange must fit in int32",)),
    (
        ("i32",),
        tl.arange,
        (8,),
        {},
        ("arange's arguments must be of type tl.constexpr", "declare the parameter"),
    ),
    ((), tl.full, ((3,), 0, tl.int32), {}, ("must be a power of 2",)),
    ((), tl.full, ((4,), 1.5, tl.int32), {}, ("cannot convert 1.5 to int32",)),
    ((), tl.full, ((4,), 0, "int32"), {}, ("expected an element type",)),
    ((), tl.full, ((4,), 300, tl.int8), {}, ("scalar 300 is out of range for type int8",)),
    (("i32",), tl.load, (), {}, ("unsupported ptr type int32[] in `tl.load`", "found: int32[]")),
    (("*fp32",), tl.load, (), {"other": 0.0}, ("`other` cannot be provided without `mask`",)),
    (
        ("*fp32", "i1[8]"),
        tl.load,
        (),
        {},
        ("mask argument cannot be block type if pointer argument", "int1[8]"),
    ),
    (
        ("*fp32[8]", "i32[8]"),
        tl.load,
        (),
        {},
        ("mask must have boolean scalar type", "compare: x != 0"),
    ),
    (
        ("*fp32",),
        tl.load,
        (),
        {"cache_modifier": ".cx"},
        ("cache modifier .cx not supported", '".cg"'),
    ),
    (("*fp32",), tl.load, (), {"eviction_policy": "x"}, ("eviction policy x not supported",)),
    (
        ("*fp32",),
        tl.load,
        (),
        {"boundary_check": (0,)},
        ("`padding_option` or `boundary_check` argument is not", "use mask"),
    ),
    (("*kfp32", "fp32"), tl.store, (), {}, ("cannot store to a constant pointer",)),
    (
        ("*fp32[8]", "fp32[8, 8]"),
        tl.store,
        (),
        {},
        ("expected pointer argument to have shape (8, 8) but got",),
    ),
    (
        ("*fp32", "fp32[8]"),
        tl.store,
        (),
        {},
        ("value argument cannot be block type if pointer argument",),
    ),
    (
        ("*fp32", "fp32"),
        tl.store,
        (),
        {"cache_modifier": ".ca"},
        ("cache modifier .ca not supported",),
    ),
    (
        ("*fp32", "fp32"),
        tl.store,
        (),
        {"boundary_check": (0,)},
        ("`padding_option` or `boundary_check` argument is not",),
    ),
    (
        ("block*fp32[8, 8]",),
        tl.load,
        (True,),
        {},
        ("`mask` and `other` arguments cannot be specified for",),
    ),
    (
        ("block*fp32[8, 8]",),
        tl.load,
        (),
        {"boundary_check": (2,)},
        ("invalid dimension 2 in `boundary_check`",),
    ),
    (
        ("block*fp32[8, 8]",),
        tl.load,
        (),
        {"boundary_check": (0, 0)},
        ("duplicate dimension in `boundary_check`",),
    ),
    (
        ("block*i32[8, 8]",),
        tl.load,
        (),
        {"padding_option": "nan"},
        ("padding option `nan` is not supported for integer block",),
    ),
    (
        ("block*fp32[8, 8]",),
        tl.load,
        (),
        {"padding_option": "x"},
        ("padding option x not supported",),
    ),
    (
        ("block*fp32[8, 8]", "fp16[8, 8]"),
        tl.store,
        (),
        {},
        ("block element type(fp32) and value element type(fp16)",),
    ),
    (
        ("block*fp32[8, 8]", "fp32[8, 8]"),
        tl.store,
        (True,),
        {},
        ("`mask` argument cannot be specified for storing block",),
    ),
    (
        ("*fp32",),
        tl.make_block_ptr,
        ((8,), (1,), (0,), (8,), (1,)),
        {},
        ("expected a permutation of (0, 1, ..., len(order)-1) in",),
    ),
    (
        ("*fp32",),
        tl.make_block_ptr,
        ((8, 8), (1,), (0,), (8,), (0,)),
        {},
        ("expected shape/strides/offsets/block_shape to have the",),
    ),
    (
        ("i32",),
        tl.make_block_ptr,
        ((8,), (1,), (0,), (8,), (0,)),
        {},
        ("expected `base` to be a pointer type (but not a block",),
    ),
    (
        ("*fp32",),
        tl.make_block_ptr,
        ((8.5,), (1,), (0,), (8,), (0,)),
        {},
        ("expected integer scalars in shape of tl.make_block_ptr",),
    ),
    (
        ("*fp32",),
        tl.make_block_ptr,
        ((8,), (1,), (2**40,), (8,), (0,)),
        {},
        ("offsets of tl.make_block_ptr must be 32 bit integers",),
    ),
    (("*fp32",), tl.advance, ((1,),), {}, ("expected `base` of tl.advance to be a block pointer",)),
    (("block*fp32[8, 8]",), tl.advance, ((1,),), {}, ("expected 2 offsets, but got 1",)),
    (
        ("block*fp32[8]", "i64"),
        tl.advance,
        (),
        {},
        ("offsets of tl.advance must be 32 bit integers", ".to(tl.int32)"),
    ),
    (
        ("i32",),
        tl.make_tensor_descriptor,
        ((8,), (1,), (8,)),
        {},
        ("expected `base` of tl.make_tensor_descriptor to be a",),
    ),
    (
        ("*fp16",),
        tl.make_tensor_descriptor,
        ((8,), (1,), (4,)),
        {},
        ("at least 16 bytes", "8 elements or more"),
    ),
    (
        ("*fp16",),
        tl.make_tensor_descriptor,
        ((8, 8), (1,), (8,)),
        {},
        ("expected shape of tl.make_tensor_descriptor to have 1",),
    ),
    (
        ("*fp16",),
        tl.make_tensor_descriptor,
        ((8,), (2,), (8,)),
        {},
        ("tensor descriptor last dim must be 1 but got 2 (int)",),
    ),
    (
        ("*i32",),
        tl.make_tensor_descriptor,
        ((8,), (1,), (8,), "nan"),
        {},
        ("padding option `nan` is not supported for integer blocks",),
    ),
    (
        ("*i32",),
        tl.make_tensor_descriptor,
        ((8,), (1,), (8,), "x"),
        {},
        ("padding option x not supported",),
    ),
    (
        ("*i8",),
        tl.make_tensor_descriptor,
        ((8,) * 6, (1,) * 6, (1,) * 5 + (16,)),
        {},
        ("expected 1 <= ndim <= 5 but got 6 dimensions",),
    ),
    (
        ("*fp16",),
        tl.make_tensor_descriptor,
        ((1.5,), (1,), (8,)),
        {},
        ("expected integer scalars in shape of",),
    ),
    (("i32",), tl.load_tensor_descriptor, ((0,),), {}, ("expected a tensor descriptor",)),
    (("*i8", "i8"), tl.atomic_add, (), {}, ("atomic_add does not support int8",)),
    (("*fp32", "i32"), tl.atomic_and, (), {}, ("atomic_and does not support fp32",)),
    (
        ("*i32", "i32"),
        tl.atomic_add,
        (),
        {"sem": "x"},
        ("memory semantic x not supported", '"relaxed"'),
    ),
    (("*i32", "i32"), tl.atomic_add, (), {"scope": "x"}, ("memory semantic x not supported",)),
    (
        ("*i32", "i32[8]"),
        tl.atomic_add,
        (),
        {},
        ("value argument cannot be block type if pointer argument",),
    ),
    (("*i32[8]", "i32", "i32[8]"), tl.atomic_add, (), {}, ("mask must have boolean scalar type",)),
    (
        ("*i8", "i8", "i8"),
        tl.atomic_cas,
        (),
        {},
        ("atomic_cas only supports elements with width {16, 32,",),
    ),
    (("*i32", "i32[8]", "i32"), tl.atomic_cas, (), {}, ("have the shape of the pointers",)),
    (
        (BLOCK,),
        tl.reshape,
        (4,),
        {},
        ("reshape() cannot change total number of elements in", "8 in shape (8,), 4 in (4,)"),
    ),
    ((BLOCK,), tl.trans, (), {}, ("tl.trans invoked with a 0- or 1-dimensional tensor",)),
    (
        ("fp32[8, 4]",),
        tl.permute,
        (0, 0),
        {},
        ("permute dims must be a permutation of 0, 1, ..., n-1,",),
    ),
    ((BLOCK,), tl.expand_dims, (3,), {}, ("invalid axis 3. Expected -2 <= axis < 2",)),
    ((BLOCK,), tl.expand_dims, ((0, 0),), {}, ("expand_dims received duplicate axes",)),
    ((BLOCK,), tl.broadcast_to, (4, 8), {}, ("cannot broadcast, rank mismatch", "x[None, :]")),
    (
        (BLOCK,),
        tl.broadcast_to,
        (16,),
        {},
        ("cannot broadcast, the expanded size of the tensor (16)",),
    ),
    (
        (BLOCK, "i32[8]"),
        tl.join,
        (),
        {},
        ("both operands of tl.join must be same dtype", "fp32 and int32"),
    ),
    ((BLOCK,), tl.split, (), {}, ("tl.split requires a last dimension of size 2",)),
    ((BLOCK, "fp32[4]"), tl.cat, (), {}, ("two blocks of one shape",)),
    (("fp32[8, 4]", "fp32[8, 4]"), tl.cat, (True,), {}, ("blocks of one dimension",)),
    ((BLOCK, BLOCK), tl.gather, (0,), {}, ("index must be an integer tensor",)),
    (
        (BLOCK, "i32[8, 4]"),
        tl.gather,
        (0,),
        {},
        ("source and index tensors must have the same rank",),
    ),
    (
        ("fp32[8, 4]", "i32[4, 4]"),
        tl.gather,
        (1,),
        {},
        ("index dim 0 must match the corresponding source dim",),
    ),
    ((BLOCK,), tl.histogram, (16,), {}, ("histogram only supports integer input",)),
    (
        ("i32[8]", "i32"),
        tl.histogram,
        (),
        {},
        ("num_bins of tl.histogram must be of type tl.constexpr",),
    ),
    (("i32[8]",), tl.histogram, (16, 3), {}, ("mask must have boolean scalar type",)),
    (
        ("fp16",),
        tl.exp,
        (),
        {},
        (
            "expected dtype ['fp32', 'fp64'] but got fp16 in tl.exp",
            "accepted: fp32, fp64",
            ".to(tl.float32)",
        ),
    ),
    (("*fp32",), tl.abs, (), {}, ("unexpected dtype pointer<fp32> in tl.abs",)),
    (("i32", "i32"), tl.fdiv, (), {}, ("both operands of fdiv must have floating scalar type",)),
    (("i32", "i32", "i32"), tl.fma, (), {}, ("unexpected dtype int32 in tl.fma",)),
    (("i16", "i16"), tl.umulhi, (), {}, ("expected dtype ['int32', 'int64', 'uint32', 'uint64']",)),
    (
        ("i32", "i32", "i32"),
        tl.clamp,
        (),
        {},
        ("unexpected dtype int32. Only floating point clamp is",),
    ),
    ((BLOCK, BLOCK), tl.maximum, (3,), {}, ("unexpected propagate_nan 3",)),
    (
        (BLOCK,),
        tl.multiple_of,
        ((8, 8),),
        {},
        ("shape of input to multiple_of does not match the length",),
    ),
    ((BLOCK,), tl.multiple_of, (1.5,), {}, ("values element 0 must have type `constexpr[int]`",)),
    (("i32",), tl.assume, (), {}, ("tl.assume requires a boolean scalar",)),
    ((), tl.device_print, (3,), {}, ("the prefix of tl.device_print is not string",)),
    ((), tl.device_print, ("a\n",), {}, ("the prefix of tl.device_print is not an ascii string",)),
    (("i1",), tl.device_assert, (3,), {}, ("the message of tl.device_assert is not string",)),
    (
        (),
        tl.inline_asm_elementwise,
        (1, "=r", (), tl.int32, True, 1),
        {},
        ("asm must be a constant",),
    ),
    (
        (),
        tl.inline_asm_elementwise,
        ("x", "=r", (), tl.int32, True, 0),
        {},
        ("pack must be a positive integer",),
    ),
    (
        ("fp16",),
        tl.extra.libdevice.tanh,
        (),
        {},
        ("input arg type does not match. Expect one of", "fp32, fp64"),
    ),
    (
        (BLOCK,),
        tl.reduce,
        (1, COMBINE),
        {},
        ("reduction axis must be < inputs rank (1)", "-1 to 0"),
    ),
    ((BLOCK,), tl.reduce, (0, 3), {}, ("tl.reduce requires a kernel function",)),
    (
        ("fp32",),
        tl.reduce,
        (0, COMBINE),
        {},
        ("reduction axis must be < inputs rank (0)", "a block"),
    ),
    ((), tl.map_elementwise, (3,), {}, ("tl.map_elementwise requires a kernel function",)),
    (
        (),
        tl.map_elementwise,
        (COMBINE, 3),
        {},
        ("map_elementwise must have at least 1 input tensor",),
    ),
    ((), tl.map_elementwise, (COMBINE, 3), {"pack": 0}, ("pack must be a positive integer",)),
    (
        ("fp16[16, 16]", "bf16[16, 16]"),
        tl.dot,
        (),
        {},
        (
            "both operands must be same dtype. Got fp16 and bf16",
            "fp16 and bf16",
            "b.to(tl.float16)",
        ),
    ),
    (
        ("fp16[16, 16]", "fp16[32, 16]"),
        tl.dot,
        (),
        {},
        ("first input shape (16, 16) and second input shape (32,",),
    ),
    (
        ("fp16[16, 8]", "fp16[8, 16]"),
        tl.dot,
        (),
        {},
        ("input shapes should have M >= 1, N >= 1 and K >= 16",),
    ),
    (("i32[16, 16]", "i32[16, 16]"), tl.dot, (), {}, ("unsupported lhs dtype int32",)),
    (("u8[16, 32]", "u8[32, 16]"), tl.dot, (), {}, ("only int8 supported!",)),
    ((BLOCK, BLOCK), tl.dot, (), {}, ("lhs of tl.dot must be either 2D or 3D",)),
    (("fp16[2, 16, 16]", "fp16[16, 16]"), tl.dot, (), {}, ("both inputs must be either 2D or 3D",)),
    (
        ("fp16[2, 16, 16]", "fp16[4, 16, 16]"),
        tl.dot,
        (),
        {},
        ("input and other must have equal batch shapes",),
    ),
    (
        ("fp16[16, 16]", "fp16[16, 16]", "fp16[16, 16]"),
        tl.dot,
        (),
        {},
        ("accumulator shape or type is incompatible", "out_dtype=tl.float16"),
    ),
    (
        ("fp16[16, 16]", "fp16[16, 16]"),
        tl.dot,
        (),
        {"out_dtype": tl.bfloat16},
        ("out_dtype=bfloat16 is unsupported",),
    ),
    (
        ("fp16[16, 16]", "fp16[16, 16]"),
        tl.dot,
        (),
        {"out_dtype": 3},
        ("out_dtype must be an element type",),
    ),
    (
        ("fp32[16, 16]", "fp32[16, 16]"),
        tl.dot,
        (),
        {"input_precision": "x"},
        ("input_precision must be one of ('tf32', 'tf32x3',", "tf32x3"),
    ),
    (
        ("fp32[16, 16]", "fp32[16, 16]"),
        tl.dot,
        (),
        {"input_precision": "ieee", "allow_tf32": True},
        ("only one of input_precision and allow_tf32 can be",),
    ),
    (
        ("fp8e5[16, 32]", "fp8e5[32, 16]"),
        tl.dot,
        (),
        {"max_num_imprecise_acc": 64},
        ("max_num_imprecise_acc (64) must be <= K (32)",),
    ),
    (
        ("u8[16, 32]", "u8[16, 2]"),
        tl.dot_scaled,
        ("e9m9", 1, None, "e2m1"),
        {},
        ("invalid float format of lhs: e9m9",),
    ),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "fragments"),
    ERRORS,
    ids=[f"{row[1].__name__}-{row[4][0][:30]}" for row in ERRORS],
)
def test_error(types, function, args, kwargs, fragments):
    with pytest.raises(WeftError) as caught:
        emitted(types, function, *args, **kwargs)
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_invalid_arguments():
    bench = Bench("*fp32")
    with pytest.raises(
        CompilationError, match=r"tl\.load\(\) got an unexpected keyword argument 'msak'"
    ):
        bench.call(tl.load, *bench.args, msak=True)
    with pytest.raises(CompilationError, match=r"missing a required argument: 'value'"):
        bench.call(tl.store, *bench.args)


def test_builtin_without_an_implementation():
    bench = Bench()
    with pytest.raises(UnsupportedError, match=r"tl\.static_range cannot be called here"):
        bench.call(tl.static_range, 4)


def test_function_missing_in_the_math_library():
    with pytest.raises(UnsupportedError, match="the math library of hip has no function cbrt"):
        emitted(("fp32",), tl.extra.libdevice.cbrt, options=GFX942)


def test_the_cpu_device_has_the_functions_of_both_libraries():
    text = emitted(("fp32",), tl.extra.libdevice.cbrt, options=FrontendOptions(backend="cpu"))
    assert "__nv_cbrtf" in str(text)


def test_unknown_target_properties():
    with pytest.raises(
        UnsupportedError, match=r"tl\.extra\.hip\.memrealtime requires an AMD target"
    ):
        emitted((), tl.extra.hip.memrealtime)
    with pytest.raises(UnsupportedError, match="unknown realtime clock of the target"):
        emitted((), tl.extra.hip.memrealtime, options=GFX942)


def test_combine_function_changes_the_type():
    def widen(e, a, b):
        return e.cast(a, tl.float64)

    with pytest.raises(CompilationError) as caught:
        emitted((BLOCK,), tl.reduce, 0, kernel_function(widen))
    assert "the combine function of tl.reduce must return the types" in str(caught.value)
    assert "widen returns fp64" in str(caught.value)


def test_reduction_without_call_function():
    bench = Bench(BLOCK)
    from weft.frontend.semantics.emitter import Emitter

    fresh = Emitter(bench.emitter.builder, bench.emitter.options)
    with pytest.raises(CompilationError, match="cannot be called here"):
        fresh.call_function(COMBINE, [])
