"""The entry point: signatures, argument attributes, locations, functions of Triton."""

from __future__ import annotations

import pytest

import weft.language as tl
from weft.errors import SignatureError, UnsupportedError
from weft.frontend import FrontendOptions, lower
from weft.ir.text import print_module
from weft.language.kernel_function import KernelFunction, kernel_function

OPTIONS = FrontendOptions(backend="cuda")


@kernel_function
def kernel(d, t, n, SIZE: tl.constexpr = 4):  # pyright: ignore[reportArgumentType]
    block = d.load([0, n])
    tl.store(t[0], t[1] + SIZE)
    d.store([0, 0], block)


SIGNATURE = {"d": "tensordesc<fp16[64,32]>", "t": ("*i32", "i32", "constexpr"), "n": "i32"}


def test_tuples_descriptors_and_attributes_of_arguments():
    module = lower(
        kernel,
        SIGNATURE,
        {(1, 2): 3},
        {
            (1, 0): [("tt.divisibility", 16)],
            (2,): [("tt.pointer_range", 32), ("tt.divisibility", 16)],
        },
        OPTIONS,
    )
    assert (
        "tt.func public @kernel(%arg0: !tt.tensordesc<tensor<64x32xf16>>, %arg1: i32, "
        "%arg2: i32, %arg3: i64, %arg4: i64, %arg5: !tt.ptr<i32> {tt.divisibility = 16 : i32}, "
        "%arg6: i32, %arg7: i32 {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}) "
        "attributes {noinline = false}"
    ) in print_module(module)


@pytest.mark.parametrize(
    ("signature", "constexprs", "message"),
    [
        ({"d": "i32"}, {}, "missing type of parameter t of kernel in the signature"),
        ({**SIGNATURE, "z": "i32"}, {}, "kernel has no parameter z"),
        (SIGNATURE, {"z": 3}, "kernel has no parameter z"),
        (SIGNATURE, {}, "missing value of constexpr parameter t of kernel"),
        ({**SIGNATURE, "d": "tensordesc<fp16>"}, {}, "invalid type of a tensor descriptor"),
        ({**SIGNATURE, "n": "i33"}, {}, "unknown type in a signature"),
    ],
)
def test_invalid_signature(signature, constexprs, message):
    with pytest.raises(SignatureError, match=message):
        lower(kernel, signature, constexprs, {}, OPTIONS)


@kernel_function
def located(p, n):
    total = n + 1
    tl.store(p, total)


def test_operations_have_locations():
    module = lower(located, {"p": "*i32", "n": "i32"}, {}, {}, OPTIONS)
    text = print_module(module, locations=True)
    line = located.first_line + 2
    # An operator has the location of its right operand, and columns count from 0.
    assert f'test_lowering.py":{line}:16)' in text
    assert 'loc("total"(' in text
    assert 'loc("n"(' in text


def test_lambda_is_not_a_kernel():
    with pytest.raises(UnsupportedError, match="defined with def"):
        KernelFunction(len)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="not a kernel function"):
        lower(len, {}, {}, {}, OPTIONS)


def test_function_without_source():
    names: dict[str, object] = {}
    exec("def k(p): pass", names)
    with pytest.raises(UnsupportedError, match="should be defined in a Python file"):
        lower(kernel_function(names["k"]), {"p": "*i32"}, {}, {}, OPTIONS)  # pyright: ignore[reportArgumentType]


class TestNested:
    @kernel_function
    def inner(p, n):
        """Keep
        a docstring that leaves its indentation.
        """
        tl.store(p, n)

    def test_an_indented_function_is_captured(self):
        module = lower(TestNested.inner, {"p": "*i32", "n": "i32"}, {}, {}, OPTIONS)
        assert "tt.store" in print_module(module)


@pytest.mark.oracle
def test_function_of_triton():
    triton_kernels = pytest.importorskip("tests.frontend.triton_kernels")
    module = lower(
        triton_kernels.scaled_sum,
        {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32"},
        {"BLOCK": 64},
        {},
        OPTIONS,
    )
    text = print_module(module)
    assert "tt.func public @scaled_sum" in text
    assert "tt.reduce" in text
