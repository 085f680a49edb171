"""Arguments of an IR entry are checked against their types in the IR."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda, Tensor
from weft import TensorDescriptor
from weft.errors import LaunchError
from weft.ir.text import parse_module
from weft.launch.drivers.cuda import tensor_map
from weft.launch.entry_arguments import entry_arguments


@pytest.fixture
def gpu(monkeypatch) -> FakeCuda:
    return FakeCuda(monkeypatch)


@weft.jit
def scaled(x, y, n, by, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * by, mask=i < n)


@weft.jit
def all_types(x, flag, byte, word, long, half, single):
    if flag:
        tl.store(x, byte + word + long + half + single)


@weft.jit
def by_descriptor(x, y):
    tl.store(y + tl.arange(0, 16), tl.sum(x.load([0, 0]), 1))


def entry(kernel: weft.JITFunction, signature: str) -> weft.CompiledKernel:
    return weft.compile(kernel, signature=signature, target="cuda:90")


TYPES = "*fp16:16, u1, i8, u32, i64, bf16, fp32"
VALUES = (Tensor("torch.float16"), True, -3, 7, 1 << 40, 1.5, 2)


def replaced(index: int, value: object) -> tuple[object, ...]:
    return (*VALUES[:index], value, *VALUES[index + 1 :])


def test_numbers_of_all_types_are_encoded(gpu):
    compiled = entry(all_types, TYPES)
    compiled[1](*VALUES)
    assert gpu.launches[-1].read("P?biqHf") == (1 << 20, True, -3, 7, 1 << 40, 0x3FC0, 2.0)
    compiled[1](*replaced(3, (1 << 32) - 1))
    assert gpu.launches[-1].read("P?bI")[-1] == (1 << 32) - 1, "an i32 may be unsigned"
    compiled[1](*replaced(2, np.int8(-128)))
    assert gpu.launches[-1].read("P?b")[-1] == -128
    compiled[1](*replaced(0, Tensor("torch.int16")))


@pytest.mark.parametrize(
    ("index", "value", "message"),
    [
        (0, Tensor("torch.bfloat16"), "all_types: argument 0 is a pointer to f16"),
        (0, Tensor("torch.int32"), "all_types: argument 0 is a pointer to f16"),
        (0, Tensor("torch.float16", address=264), "argument 0 must have tt.divisibility = 16"),
        (1, 2, "all_types: argument 1 is an i1"),
        (2, 256, "all_types: argument 2 is an i8"),
        (2, -129, "all_types: argument 2 is an i8"),
        (3, 1 << 32, "all_types: argument 3 is an i32"),
        (3, 0.5, "all_types: argument 3 is an i32"),
        (4, "7", "all_types: argument 4 is a number of type i64"),
        (5, None, "all_types: argument 5 is a number of type bf16"),
        (6, Tensor("torch.float16"), "all_types: argument 6 is a number of type f32"),
    ],
)
def test_an_argument_of_another_type_is_an_error(gpu, index, value, message):
    with pytest.raises(LaunchError, match=message):
        entry(all_types, TYPES)[1](*replaced(index, value))
    assert gpu.launches == []


def test_an_indivisible_number_is_an_error(gpu):
    compiled = entry(scaled, "*fp32:16, *fp32, i32:16, fp32, 256")
    compiled[1](Tensor(), Tensor(address=8), 32, 0.5)
    with pytest.raises(LaunchError, match=r"argument 2 must have tt\.divisibility = 16") as caught:
        compiled[1](Tensor(), Tensor(), 33, 0.5)
    assert "a multiple of 16" in str(caught.value)
    with pytest.raises(LaunchError, match="argument 1 is a pointer to f32"):
        compiled[1](Tensor(), 1 << 20, 32, 0.5)


def test_descriptors(gpu, monkeypatch):
    monkeypatch.setattr(tensor_map, "_driver_function", lambda: lambda *arguments: 0)
    compiled = entry(by_descriptor, "tensordesc<fp16[16, 64]>, *fp32:16")
    base = Tensor("torch.float16", address=1 << 21)
    compiled[1](TensorDescriptor(base, [64, 64], [64, 1], [16, 64]), Tensor())
    assert gpu.launches[-1].read(["128s", "i", "i", "q", "q", "P"])[1:] == (64, 64, 64, 1, 1 << 20)
    for bad, message in (
        (base, "argument 0 is a tensor descriptor"),
        (TensorDescriptor(base, [64, 64], [64, 1], [32, 64]), "argument 0 has another block shape"),
        (TensorDescriptor(Tensor(), [64, 64], [64, 1], [16, 64]), "argument 0 is a pointer to f16"),
    ):
        with pytest.raises(LaunchError, match=message):
            compiled[1](bad, Tensor())


def test_an_entry_with_an_unsupported_type_is_an_error(gpu):
    text = """
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.num-ctas" = 1 : i32,
                   "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @odd(%arg0: !tt.ptr<f32>, %arg1: i128) {
    tt.return
  }
}
"""
    with pytest.raises(LaunchError, match="odd: argument 1 has a type that cannot be passed"):
        entry_arguments(parse_module(text))
