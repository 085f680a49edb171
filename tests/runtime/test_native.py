"""Launches by machine code: the same as in Python, and nothing else is taken for one."""

from __future__ import annotations

import gc
import math
import sys
import threading
import weakref
from types import BuiltinFunctionType

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.runtime.fake_cuda import Code, FakeCuda, Parameter, Tensor
from weft import knobs
from weft.codegen.host import compiled_here
from weft.errors import CodegenError, CompilationError, LaunchError
from weft.runtime.drivers import native

SCALE: tl.constexpr = tl.constexpr(3)


@weft.jit
def helper(x):
    return x * SCALE


@weft.jit
def kernel_of_all(x, n, big, factor, wide: tl.float64, flag, nothing, MODE: tl.constexpr, EPS=0.5):
    if flag:
        tl.store(x, helper(tl.load(x)) * factor + n + big + wide + EPS)
    if MODE == "twice":
        tl.store(x + 1, 1.0)


@weft.jit
def small(x, n, BLOCK: tl.constexpr = 16):
    tl.store(x + tl.arange(0, BLOCK), n)


@weft.jit
def of_tuple(values, y):
    tl.store(y, tl.load(values[0][0]) + values[0][1] * values[1])


@weft.jit
def of_half(x, n: tl.float16):
    tl.store(x, n)


@pytest.fixture
def gpu(monkeypatch, tmp_path) -> FakeCuda:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    native._compiling().join()
    return FakeCuda(monkeypatch, devices=2)


class Watched:
    """A kernel whose launches in Python are counted; those of machine code are not."""

    def __init__(self, kernel: weft.JITFunction, *args: object, **kwargs: object) -> None:
        self.kernel = weft.jit(kernel.fn)
        self.kernel[(1,)](*args, **kwargs)
        self.in_python = 0
        dispatch = self.kernel._dispatch
        for name in ("in_full", "_in_python"):
            setattr(dispatch, name, self.counted(getattr(dispatch, name)))
        dispatch._native = dispatch.launch = None  # pyright: ignore
        made = dispatch._use_native
        plans = self.plans(args, kwargs)
        dispatch._plans = plans
        made(native._code["address"])

    def plans(self, args, kwargs):
        from weft.runtime.plans import plan_of

        (program,) = self.kernel.cache.values()
        dispatch = self.kernel._dispatch
        classes = (Tensor, Parameter)
        return [plan_of(self.kernel, dispatch.captured, args, kwargs, program, classes)]

    def counted(self, call):
        def counting(*args, **kwargs):
            self.in_python += 1
            return call(*args, **kwargs)

        return counting

    def launch(self, grid, *args, **kwargs) -> bool:
        """Launch; return whether machine code did."""
        before = self.in_python
        self.kernel[grid](*args, **kwargs)
        return self.in_python == before


FULL = (Tensor(address=160), 100, 1 << 40, 0.5, 0.25, True, None)


def changed(index: int, value: object) -> tuple[object, ...]:
    return (*FULL[:index], value, *FULL[index + 1 :])


@pytest.fixture
def watched(gpu) -> Watched:
    return Watched(kernel_of_all, *FULL, MODE="once")


def test_a_launch_of_the_same_kinds_passes_its_own_values(gpu, watched):
    gpu.streams[0] = 1 << 45
    other = (Tensor(address=320), -7, 1 << 62, -2.5, 1e300, False, None)
    assert watched.launch((4, 5, 6), *other, MODE="once")
    launch = gpu.launches[-1]
    assert (launch.grid, launch.block, launch.shared) == ((4, 5, 6), (128, 1, 1), 0)
    assert launch.stream == 1 << 45
    assert launch.read("Piqfd?f") == (320, -7, 1 << 62, -2.5, 1e300, False, 0.5)
    assert isinstance(watched.kernel._dispatch.launch, BuiltinFunctionType)


def test_what_is_returned_is_the_program(gpu, watched):
    (program,) = watched.kernel.cache.values()
    assert watched.kernel[(1,)](*FULL, MODE="once") is program


@pytest.mark.parametrize(
    "args",
    [
        changed(0, Tensor(address=168)),
        changed(0, Tensor("torch.float16", address=160)),
        changed(0, Tensor(address=160, device=1)),
        changed(1, 1),
        changed(1, 160),
        changed(1, 1 << 40),
        changed(1, -(1 << 40)),
        changed(2, 5),
        changed(2, 1 << 63),
        changed(2, -(1 << 62)),
        changed(5, 7),
        changed(3, 2),
    ],
    ids=str,
)
def test_other_kinds_are_not_taken_for_it(gpu, watched, args):
    count = len(gpu.launches)
    try:
        assert not watched.launch((1,), *args, MODE="once")
    except LaunchError:
        pytest.fail("the launch is good, by itself")
    assert len(gpu.launches) == count + 1


def test_a_tensor_of_the_host_is_no_tensor_of_the_gpu(gpu, watched):
    with pytest.raises(LaunchError, match="must be on one device"):
        watched.launch((1,), *changed(6, np.zeros(3)), MODE="once")
    assert watched.in_python


def test_constants_are_the_same_objects_or_equal_ints(gpu):
    watched = Watched(small, Tensor(), 5, BLOCK=1024)
    assert watched.launch((1,), Tensor(), 5, BLOCK=int("1024"))
    assert watched.launch((1,), Tensor(), 5, **{"".join(["BLO", "CK"]): 1024})
    assert not watched.launch((1,), Tensor(), 5, BLOCK=512)
    assert not watched.launch((1,), Tensor(), 5, 1024)
    assert not watched.launch((1,), Tensor(), 5)


def test_a_constant_that_is_a_text(gpu, watched):
    assert watched.launch((1,), *FULL, MODE="once")
    assert not watched.launch((1,), *FULL, MODE="twice")


def test_options_and_defaults(gpu):
    watched = Watched(small, Tensor(), 5, num_warps=2)
    assert watched.launch((1,), Tensor(), 6, num_warps=2)
    assert gpu.launches[-1].block == (64, 1, 1)
    assert not watched.launch((1,), Tensor(), 6, num_warps=4)
    assert not watched.launch((1,), Tensor(), 6, num_warps=2, num_stages=2)


def test_a_grid_of_the_arguments_sees_all_of_them(gpu):
    watched = Watched(small, Tensor(), 5, num_warps=2)
    seen: list[dict[str, object]] = []

    def grid(meta):
        seen.append(meta)
        return (meta["n"], meta["BLOCK"])

    x = Tensor()
    assert watched.launch(grid, x, 7, num_warps=2)
    assert gpu.launches[-1].grid == (7, 16, 1)
    assert seen == [{"x": x, "n": 7, "BLOCK": 16, "num_warps": 2}]


@pytest.mark.parametrize("grid", [(0,), (), (1, 1, 1, 1), 4, [2], (True,), (np.int64(3),)], ids=str)
def test_other_grids_are_python_s(gpu, grid):
    watched = Watched(small, Tensor(), 5)
    for asked in (grid, lambda meta: grid):
        try:
            assert not watched.launch(asked, Tensor(), 6)
        except LaunchError as error:
            assert "the grid is" in str(error)  # noqa: PT017
    assert watched.in_python


@pytest.mark.parametrize(
    ("grid", "message"),
    [((-1,), "the grid is one to three"), (lambda meta: meta["m"], "asks for an argument that")],
)
def test_what_is_wrong_with_a_grid_is_said(gpu, grid, message):
    watched = Watched(small, Tensor(), 5)
    with pytest.raises(LaunchError, match=message):
        watched.launch(grid, Tensor(), 6)


def test_mistakes_are_told_as_ever(gpu):
    watched = Watched(small, Tensor(), 5)
    for args, kwargs in (((Tensor(),), {}), ((Tensor(), 5, 16, 9), {}), ((Tensor(), 5), {"m": 1})):
        with pytest.raises(LaunchError):
            watched.launch((1,), *args, **kwargs)
    with pytest.raises(TypeError):
        watched.kernel._dispatch.launch()


def test_a_tensor_that_raises_is_python_s(gpu):
    class Broken(Tensor):
        dtype = property(lambda self: 1 / 0)  # pyright: ignore

        def __init__(self):
            self.index, self.address = 0, 64

    watched = Watched(small, Tensor(), 5)
    sys.modules["torch"].Tensor = Broken
    watched.kernel._dispatch._plans = watched.plans((Tensor(), 5), {})
    watched.kernel._dispatch._driver = (sys.modules["torch"], *watched.kernel._dispatch._driver[1:])
    watched.kernel._dispatch._use_native(native._code["address"])
    with pytest.raises(ZeroDivisionError):
        watched.launch((1,), Broken(), 6)


def test_rebound_globals_are_seen(gpu, watched, monkeypatch):
    with monkeypatch.context() as changed_:
        changed_.setitem(globals(), "SCALE", tl.constexpr(5))
        assert not watched.launch((1,), *FULL, MODE="once")
    assert len(watched.kernel.cache) == 2
    assert watched.launch((1,), *FULL, MODE="once")


def test_hooks_are_python_s(gpu, watched):
    seen: list[object] = []
    for hooks in (knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook):
        hooks.add(seen.append)
        assert not watched.launch((1,), *FULL, MODE="once")
        hooks.remove(seen.append)
    watched.kernel.add_pre_run_hook(lambda *args, **kwargs: seen.append(args))
    assert not watched.launch((1,), *FULL, MODE="once")
    watched.kernel.pre_run_hooks.clear()
    assert watched.launch((1,), *FULL, MODE="once")
    assert len(seen) == 3


def test_another_gpu_is_python_s(gpu, watched):
    gpu.torch_device = 1
    assert not watched.launch((1,), *FULL, MODE="once")


def test_what_the_driver_refuses_is_told(gpu, watched):
    gpu.refuse = [Code.CUDA_ERROR_ILLEGAL_ADDRESS] * 2
    with pytest.raises(LaunchError, match="refuses to launch kernel_of_all"):
        watched.launch((1,), *FULL, MODE="once")
    gpu.context = 0
    assert not watched.launch((1,), *FULL, MODE="once")
    assert gpu.context == 100
    assert watched.launch((1,), *FULL, MODE="once")


def test_a_number_too_large_for_f32_is_infinity(gpu, watched):
    assert watched.launch((1,), *changed(3, 1e300), MODE="once")
    assert gpu.launches[-1].read("Piqf")[-1] == math.inf


def test_a_parameter_of_a_layer(gpu, watched):
    assert watched.launch((1,), *changed(0, Parameter(address=320)), MODE="once")


def test_tuples_are_looked_at_item_by_item(gpu):
    y = Tensor(address=160)
    watched = Watched(of_tuple, ((y, 5), 0.5, None, ()), y)
    other = Tensor(address=320)
    assert watched.launch((2,), ((other, 7), 2.5, None, ()), y)
    assert gpu.launches[-1].read("PifP") == (320, 7, 2.5, 160)
    for given in (
        ((other, 16), 2.5, None, ()),
        ((other, 7), 2.5, None, (3,)),
        ((other, 7), 2.5, None),
        ((Tensor("torch.float16"), 7), 2.5, None, ()),
        [(other, 7), 2.5, None, ()],
    ):
        try:
            assert not watched.launch((1,), given, y)
        except (LaunchError, CompilationError):
            assert watched.in_python
    assert watched.launch((1,), ((other, 9), 2.5, None, ()), y)


def test_several_forms_have_plans_of_their_own(gpu):
    kernel = weft.jit(small.fn)
    for n in range(3, 25):
        kernel[(1,)](Tensor(), 5, BLOCK=16, num_stages=n)
    assert kernel._dispatch._native._state[0] == native._MOST_PLANS
    for n in range(3, 25):
        kernel[(1,)](Tensor(), n, BLOCK=16, num_stages=n)
        assert gpu.launches[-1].read("Pi")[-1] == n


def test_arrays_of_the_first_launch_are_not_kept(gpu):
    tensor = Tensor()
    gone = weakref.ref(tensor)
    kernel = weft.jit(small.fn)
    kernel[(1,)](tensor, 5)
    assert isinstance(kernel._dispatch.launch, BuiltinFunctionType)
    del tensor
    gc.collect()
    assert gone() is None


def test_launches_without_a_plan(gpu):
    captured: tl.constexpr = tl.constexpr(4)

    def of_closure(x):
        tl.store(x, captured)

    closed = weft.jit(of_closure)
    closed[(1,)](Tensor())
    assert closed._dispatch._native is None
    closed[(2,)](Tensor())
    assert gpu.launches[-1].grid == (2, 1, 1)


def test_nothing_is_lost_and_nothing_is_kept(gpu, watched):
    tensor, grid, mode = FULL[0], (1, 2), "once"
    gpu.launches.clear()

    def counts():
        return [sys.getrefcount(each) for each in (tensor, grid, mode, 100, None, tensor.dtype)]

    for _ in range(10):
        watched.kernel[grid](*FULL, MODE=mode)
        watched.kernel[lambda meta: grid](*FULL, MODE=mode)
    gpu.launches.clear()
    before = counts()
    for _ in range(500):
        watched.kernel[grid](*FULL, MODE=mode)
        watched.kernel[lambda meta: grid](*FULL, MODE=mode)
    gpu.launches.clear()
    after = counts()
    assert all(abs(a - b) < 500 for a, b in zip(after, before, strict=True)), (before, after)


def test_the_function_outlives_the_kernel(gpu):
    kernel = weft.jit(small.fn)
    kernel[(1,)](Tensor(), 5)
    gone, launch = weakref.ref(kernel), kernel[(3,)]
    del kernel
    gc.collect()
    launch(Tensor(), 9)
    assert gpu.launches[-1].grid == (3, 1, 1)
    assert gpu.launches[-1].read("Pi")[-1] == 9
    del launch
    gc.collect()
    assert gone() is None


def test_threads_do_not_mix_their_arguments(gpu):
    kernel = weft.jit(small.fn)
    kernel[(1,)](Tensor(), 5)
    seen: list[tuple[int, int]] = []

    def work(n: int) -> None:
        for _ in range(300):
            kernel[(n,)](Tensor(), n)

    def look() -> float:
        launch = gpu.launches[-1]
        seen.append((launch.grid[0], launch.read("Pi")[-1]))
        return 0.0

    gpu.time_of = look

    threads = [threading.Thread(target=work, args=(n,)) for n in (3, 5, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 900
    assert set(seen) == {(3, 3), (5, 5), (7, 7)}


def test_it_can_be_switched_off(gpu, monkeypatch):
    monkeypatch.setenv("WEFT_NATIVE_LAUNCH", "0")
    kernel = weft.jit(small.fn)
    for n in (5, 6):
        kernel[(1,)](Tensor(), n)
    assert kernel._dispatch._native is None
    assert gpu.launches[-1].read("Pi")[-1] == 6


def test_kernels_from_before_it_was_compiled_are_told(gpu, monkeypatch):
    waiting: list[object] = []
    monkeypatch.setattr(native, "_code", {})
    monkeypatch.setattr(native, "_waiting", waiting)
    monkeypatch.setattr(native, "_compiling", lambda: None)
    kernel = weft.jit(small.fn)
    for n in (5, 1 << 40):
        kernel[(1,)](Tensor(), n)
    assert kernel._dispatch._native is None
    assert len(waiting) == 1
    native._compile()
    assert waiting == []
    assert kernel._dispatch._native._state[0] == 2
    kernel[(1,)](Tensor(), 7)
    assert gpu.launches[-1].read("Pi")[-1] == 7


def test_other_pythons_launch_in_python(gpu, monkeypatch):
    monkeypatch.setattr(sys.implementation, "name", "pypy")
    native._is_supported.cache_clear()
    kernel = weft.jit(small.fn)
    kernel[(1,)](Tensor(), 5)
    monkeypatch.undo()
    native._is_supported.cache_clear()
    assert kernel._dispatch._native is None


def test_text_that_llvm_refuses():
    with pytest.raises(CodegenError, match="LLVM refuses code for this processor"):
        compiled_here("define void @f( {", {})
