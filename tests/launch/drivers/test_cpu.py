"""kernel[grid](…) on the embedded CPU device."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import weft
import weft.gluon as gl
import weft.language as tl
from tests.kernel.test_specialization import Tensor
from weft import knobs
from weft.errors import LaunchError, OutOfBoundsError, WeftError
from weft.experimental import gluon
from weft.launch.tensor_descriptor import TensorDescriptor

SCALE: tl.constexpr = tl.constexpr(3)


@weft.jit
def scale(x, y, n, factor=2.0, BLOCK: tl.constexpr = 16):  # pyright: ignore[reportArgumentType]
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


@weft.jit
def by_global(x):
    tl.store(x, tl.load(x) * SCALE)


@weft.jit
def store_items(pair, flag, other):
    if flag:
        tl.store(pair[0], pair[1])
    if other is not None:
        tl.store(other, pair[2])


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16, np.int32, np.uint8])
def test_numpy_arrays(dtype):
    x, y = np.arange(50).astype(dtype), np.zeros(50, dtype)
    scale[(weft.cdiv(50, 16),)](x, y, 50, 2)
    np.testing.assert_array_equal(y, x * dtype(2))


def test_defaults_options_and_grid_function():
    x, y = np.ones(100, np.float32), np.zeros(100, np.float32)
    scale[lambda meta: (weft.cdiv(meta["n"], meta["BLOCK"]),)](
        x, y, n=100, num_warps=8, num_stages=2, waves_per_eu=1
    )
    assert y.tolist() == [2.0] * 100


def test_strided_and_shifted_arrays():
    whole = np.zeros(40, np.float32)
    scale[4](np.ones(20, np.float32), whole[10:30], 20, 5.0)
    assert whole.tolist() == [0.0] * 10 + [5.0] * 20 + [0.0] * 10


def test_objects_with_data_ptr_and_dtype():
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    scale[1](Tensor(x, "torch.float32"), Tensor(y, "torch.float32"), 8)
    np.testing.assert_array_equal(y, 2 * x)


def test_one_compilation_per_specialization():
    kernel = weft.jit(scale.fn)
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    for n in (32, 64, 48):  # all divisible by 16
        kernel[4](x, y, n)
    assert len(kernel.cache) == 1
    kernel[4](x, y, 33)
    kernel[4](x, y, 1)
    kernel[4](x, y, 33, 1)
    assert len(kernel.cache) == 4


def test_a_rebound_global_compiles_again(monkeypatch):
    x = np.ones(1, np.float32)
    by_global[1](x)
    monkeypatch.setitem(globals(), "SCALE", tl.constexpr(5))
    by_global[1](x)
    assert x.tolist() == [15.0]


def test_tuples_bools_and_none():
    a, b = np.zeros(1, np.int32), np.zeros(1, np.int32)
    store_items[1]((a, 7, 9), True, b)
    store_items[1]((a, 8, 9), False, None)
    assert (a[0], b[0]) == (7, 9)


def test_an_empty_grid_runs_nothing():
    x, y = np.ones(4, np.float32), np.zeros(4, np.float32)
    scale[0](x, y, 4)
    assert not y.any()


def test_warmup_does_not_launch():
    kernel = weft.jit(scale.fn)
    x, y = np.ones(4, np.float32), np.zeros(4, np.float32)
    compiled = kernel.warmup(x, y, 4, grid=(1,))
    assert not y.any()
    assert "tt.func public @scale(" in compiled.asm["ttir"]
    assert len(kernel.cache) == 1


def test_compiled_kernel_has_the_attributes_of_a_gpu_kernel():
    x, y = np.ones(4, np.float32), np.zeros(4, np.float32)
    compiled = weft.jit(scale.fn).warmup(x, y, 4, num_warps=2, grid=(1,))
    compiled._init_handles()
    assert (compiled.n_regs, compiled.n_spills, compiled.shared) == (1, 0, 1)
    assert (compiled.name, compiled.metadata.num_warps, compiled.metadata.shared) == ("scale", 2, 1)
    compiled[(1,)](x, y, 4, 3.0, 16)
    assert y.tolist() == [3.0] * 4


@gluon.jit
def store_lanes(x):
    i = gl.arange(0, 64, layout=gl.BlockedLayout([1], [32], [2], [0]))
    gl.store(x + i, i)


def test_the_ir_of_a_gluon_kernel_has_layouts():
    x = np.zeros(64, np.int32)
    compiled = store_lanes[(1,)](x, num_warps=2)
    assert (x == np.arange(64)).all()
    assert list(compiled.asm) == ["ttgir"]
    assert "#blocked = #ttg.blocked" in compiled.asm["ttgir"]


@weft.jit
def offset_rows(x, STRIDE: tl.constexpr, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i * STRIDE, mask=i < n), mask=i < n)


@pytest.mark.parametrize("constants", [[2, 8], [2], []])
def test_a_launch_of_a_compiled_kernel_may_leave_constants_out(constants):
    x, y = np.arange(12, dtype=np.float32), np.zeros(6, np.float32)
    compiled = offset_rows.warmup(x, 2, y, 5, 8, grid=(1,))
    compiled[(1,)](x, *constants[:1], y, 5, *constants[1:])
    assert y.tolist() == [0, 2, 4, 6, 8, 0]
    with pytest.raises(LaunchError, match="missing required arguments: y, n"):
        compiled[(1,)](x, 2)


def test_hooks_around_a_load():
    calls: list[tuple[str, tuple[object, ...]]] = []
    x = np.zeros(16, np.float32)
    with knobs.runtime.scope():
        knobs.runtime.kernel_load_start_hook.add(lambda *args: calls.append(("start", args)))
        knobs.runtime.kernel_load_end_hook.add(lambda *args: calls.append(("end", args)))
        kernel = weft.jit(scale.fn)
        compiled = kernel[(1,)](x, x, 16)
        kernel[(1,)](x, x, 16)
    assert [name for name, _ in calls] == ["start", "end"]
    for _, arguments in calls:
        assert arguments == (None, None, "scale", {}, compiled.hash)


def test_pre_run_hooks_receive_the_arguments():
    kernel, calls = weft.jit(scale.fn), []
    kernel.add_pre_run_hook(lambda *args, **kwargs: calls.append((len(args), kwargs)))
    kernel[1](np.ones(4, np.float32), np.zeros(4, np.float32), 4, BLOCK=4)
    assert calls == [(3, {"BLOCK": 4})]


def test_autotune_and_heuristics_run():
    tuned = weft.autotune(
        [weft.Config({"BLOCK": block}) for block in (4, 32)], key=["n"], warmup=1, rep=1
    )(weft.jit(scale.fn))
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    tuned[lambda meta: (weft.cdiv(meta["n"], meta["BLOCK"]),)](x, y, 64)
    np.testing.assert_array_equal(y, 2 * x)
    assert tuned.best_config is not None
    assert tuned.best_config.kwargs["BLOCK"] in (4, 32)
    y[:] = 0
    computed = weft.heuristics({"BLOCK": lambda args: weft.next_power_of_2(args["n"])})(scale)
    computed[1](x, y, 64)
    np.testing.assert_array_equal(y, 2 * x)


def test_out_of_bounds_error_has_the_source_line():
    with pytest.raises(OutOfBoundsError) as caught:
        scale[2](np.ones(10, np.float32), np.zeros(32, np.float32), 32)
    text = str(caught.value)
    assert "test_cpu.py:" in text
    assert "tl.load(x + i, mask=i < n)" in text


def test_wrong_arguments_are_an_error():
    y = np.zeros(4, np.float32)
    with pytest.raises(LaunchError, match="Pointer argument x cannot be accessed"):
        scale[1](Tensor(y, "torch.float32", device="cuda:0"), y, 4)
    with pytest.raises(LaunchError, match="failed to specialize argument of type list"):
        scale[1]([1.0], y, 4)
    with pytest.raises(LaunchError, match="num_warps must be a power of 2"):
        scale[1](y, y, 4, num_warps=3)
    with pytest.raises(WeftError, match="Unsupported ptr type"):
        scale[1](3, y, 4)


class Descriptor:
    """A class with the attributes of Triton's TensorDescriptor."""

    def __init__(self, base, shape, strides, block_shape):
        self.base, self.shape, self.strides, self.block_shape = base, shape, strides, block_shape


@weft.jit
def by_descriptor(source, target):
    target.store([0, 8], source.load([4, 0]) * 2)


@weft.jit
def copy_by_descriptor(source, target):
    target.store([0, 0], source.load([4, 16]))


def test_descriptors():
    x, y = np.arange(64, dtype=np.float32).reshape(8, 8), np.zeros((4, 16), np.float32)
    by_descriptor[1](Descriptor(x, [8, 8], [8, 1], [4, 8]), Descriptor(y, [4, 16], [16, 1], [4, 8]))
    np.testing.assert_array_equal(y[:, 8:], 2 * x[4:])
    assert not y[:, :8].any()


def test_a_descriptor_pads_with_nan():
    x, y = np.ones((8, 24), np.float32), np.zeros((4, 64), np.float32)
    source = TensorDescriptor(x, [8, 24], [24, 1], [4, 16], padding="nan")
    copy_by_descriptor[1](source, Descriptor(y, [4, 64], [64, 1], [4, 16]))
    np.testing.assert_array_equal(y[:, :8], 1)
    assert np.isnan(y[:, 8:16]).all()


@pytest.mark.parametrize("dtype", [ml_dtypes.float8_e4m3fn, ml_dtypes.bfloat16])
def test_descriptors_of_ml_dtypes_elements(dtype):
    x, y = np.arange(256).reshape(8, 32).astype(dtype), np.zeros((4, 64), dtype)
    source = Descriptor(x, [8, 24], [32, 1], [4, 16])
    copy_by_descriptor[1](source, Descriptor(y, [4, 64], [64, 1], [4, 16]))
    assert y[:, :8].tobytes() == x[4:, 16:24].tobytes()
    assert not y[:, 8:].astype(np.float32).any()  # past the source's end
