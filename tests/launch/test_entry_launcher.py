"""compiled[grid](…): IR from a file on a GPU that is not there."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda, Tensor
from weft import TensorDescriptor
from weft.errors import LaunchError
from weft.launch.drivers.cuda import tensor_map as cuda_tensor_map
from weft.launch.entry_arguments import arguments_of


@weft.jit
def scaled(x, y, n, by, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * by, mask=i < n)


@pytest.fixture
def gpu(monkeypatch) -> FakeCuda:
    return FakeCuda(monkeypatch, devices=2)


@pytest.fixture
def compiled(tmp_path):
    """TTGIR of the kernel, read from a file."""
    made = weft.compile(scaled, signature="*fp32:16, *fp32:16, i32, fp32, 256", target="cuda:90")
    file = tmp_path / "scaled.ttgir"
    file.write_text(made.asm["ttgir"])
    return weft.compile(file, target="cuda:90")


def test_the_entry_is_loaded_once_per_gpu_and_launched(gpu, compiled):
    for number in (0, 1, 0):
        x, y = Tensor(device=number, address=160), Tensor(device=number, address=320)
        compiled[7, 2](x, y, 100, 0.5)
    assert len(gpu.loaded) == 2
    launch = gpu.launches[-1]
    assert (launch.grid, launch.block) == ((7, 2, 1), (128, 1, 1))
    assert launch.read("PPif") == (160, 320, 100, 0.5)


def test_an_empty_grid_starts_nothing(gpu, compiled):
    compiled[0](Tensor(), Tensor(), 100, 0.5)
    assert gpu.launches == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((Tensor(), Tensor(), 100), "scaled takes 4 arguments"),
        ((1, 2, 100, 0.5), "scaled is launched on a GPU"),
        ((Tensor(), Tensor(device=1), 100, 0.5), "must be on one device"),
    ],
)
def test_arguments_that_do_not_fit(gpu, compiled, arguments, message):
    with pytest.raises(LaunchError, match=message):
        compiled[1](*arguments)


def test_a_gpu_of_another_kind(monkeypatch, compiled):
    FakeCuda(monkeypatch, capability=80)
    with pytest.raises(LaunchError, match="scaled is compiled for cuda:90") as caught:
        compiled[1](Tensor(), Tensor(), 100, 0.5)
    assert "GPU 0 is cuda:80" in str(caught.value)


@weft.jit
def of_kinds(x, flag, byte, word, long, half, single):
    if flag:
        tl.store(x, byte + word + long + half + single)


@weft.jit
def by_descriptor(x, y):
    tl.store(y + tl.arange(0, 16), tl.sum(x.load([0, 0]), 1))


def entry(kernel: weft.JITFunction, signature: str) -> weft.CompiledKernel:
    return weft.compile(kernel, signature=signature, target="cuda:90")


KINDS = "*fp16:16, u1, i8, u32, i64, bf16, fp32"
GOOD = (Tensor("torch.float16"), True, -3, 7, 1 << 40, 1.5, 2)


def replaced(index: int, value: object) -> tuple[object, ...]:
    return (*GOOD[:index], value, *GOOD[index + 1 :])


def test_numbers_of_all_types_are_written(gpu):
    compiled = entry(of_kinds, KINDS)
    compiled[1](*GOOD)
    assert gpu.launches[-1].read("P?biqHf") == (1 << 20, True, -3, 7, 1 << 40, 0x3FC0, 2.0)
    compiled[1](*replaced(3, (1 << 32) - 1))
    assert gpu.launches[-1].read("P?bI")[-1] == (1 << 32) - 1, "an i32 may be unsigned"
    compiled[1](*replaced(2, np.int8(-128)))
    assert gpu.launches[-1].read("P?b")[-1] == -128
    compiled[1](*replaced(0, Tensor("torch.int16")))


@pytest.mark.parametrize(
    ("index", "value", "message"),
    [
        (0, Tensor("torch.bfloat16"), "of_kinds: argument 0 is a pointer to f16"),
        (0, Tensor("torch.int32"), "of_kinds: argument 0 is a pointer to f16"),
        (0, Tensor("torch.float16", address=264), "argument 0 breaks what the IR promises"),
        (1, 2, "of_kinds: argument 1 is an i1"),
        (2, 256, "of_kinds: argument 2 is an i8"),
        (2, -129, "of_kinds: argument 2 is an i8"),
        (3, 1 << 32, "of_kinds: argument 3 is an i32"),
        (3, 0.5, "of_kinds: argument 3 is an i32"),
        (4, "7", "of_kinds: argument 4 is a number of type i64"),
        (5, None, "of_kinds: argument 5 is a number of type bf16"),
        (6, Tensor("torch.float16"), "of_kinds: argument 6 is a number of type f32"),
    ],
)
def test_an_argument_of_another_kind_is_named(gpu, index, value, message):
    with pytest.raises(LaunchError, match=message):
        entry(of_kinds, KINDS)[1](*replaced(index, value))
    assert gpu.launches == []


def test_a_number_that_breaks_what_the_ir_promises(gpu):
    compiled = entry(scaled, "*fp32:16, *fp32, i32:16, fp32, 256")
    compiled[1](Tensor(), Tensor(address=8), 32, 0.5)
    with pytest.raises(LaunchError, match="argument 2 breaks what the IR promises") as caught:
        compiled[1](Tensor(), Tensor(), 33, 0.5)
    assert "a multiple of 16" in str(caught.value)
    with pytest.raises(LaunchError, match="argument 1 is a pointer to f32"):
        compiled[1](Tensor(), 1 << 20, 32, 0.5)


def test_descriptors_of_an_entry(gpu, monkeypatch):
    monkeypatch.setattr(cuda_tensor_map, "_encode", lambda: lambda *asked: 0)
    compiled = entry(by_descriptor, "tensordesc<fp16[16, 64]>, *fp32:16")
    base = Tensor("torch.float16", address=1 << 21)
    compiled[1](TensorDescriptor(base, [64, 64], [64, 1], [16, 64]), Tensor())
    assert gpu.launches[-1].read(["128s", "i", "i", "q", "q", "P"])[1:] == (64, 64, 64, 1, 1 << 20)
    for bad, message in (
        (base, "argument 0 is a tensor descriptor"),
        (TensorDescriptor(base, [64, 64], [64, 1], [32, 64]), "argument 0 describes other tiles"),
        (TensorDescriptor(Tensor(), [64, 64], [64, 1], [16, 64]), "argument 0 is a pointer to f16"),
    ):
        with pytest.raises(LaunchError, match=message):
            compiled[1](bad, Tensor())


def test_an_entry_of_a_type_that_no_launch_gives(gpu):
    text = """
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.num-ctas" = 1 : i32,
                   "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @odd(%arg0: !tt.ptr<f32>, %arg1: i128) {
    tt.return
  }
}
"""
    from weft.ir.text import parse_module

    with pytest.raises(LaunchError, match="odd: argument 1 is of a type that no launch gives"):
        arguments_of(parse_module(text))
