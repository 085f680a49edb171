"""kernel[grid](…) on a GPU, with a fake CUDA driver."""

from __future__ import annotations

import struct
import threading
from types import SimpleNamespace

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import Code, CudaArray, FakeCuda, Tensor
from weft import knobs
from weft.compiler.cache import DiskCache
from weft.errors import LaunchError, OutOfResourcesError


@weft.jit
def add(x, y, n, scale, BLOCK: tl.constexpr = 128):  # pyright: ignore[reportArgumentType]
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * scale, mask=i < n)


@weft.jit
def store_product(pair, factor: tl.bfloat16, top: tl.uint64, flag):
    if flag:
        tl.store(pair[0], (pair[1] * factor + top).to(tl.float32))


@weft.jit
def empty(n):
    pass


@pytest.fixture
def gpu(monkeypatch, tmp_path) -> FakeCuda:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    return FakeCuda(monkeypatch, devices=2)


@pytest.fixture
def kernel() -> weft.JITFunction:
    return weft.jit(add.fn)


def test_launch_passes_grid_block_stream_and_arguments(gpu, kernel):
    gpu.streams[0] = 55
    loaded = kernel[(4, 2)](Tensor(address=160), Tensor(address=320), 100, 0.5, num_warps=8)
    (launch,) = gpu.launches
    assert (launch.grid, launch.block, launch.stream) == ((4, 2, 1), (256, 1, 1), 55)
    assert launch.function == int(loaded.function.handle)
    assert launch.read("PPif") == (160, 320, 100, 0.5)
    assert launch.attributes == []
    assert gpu.loaded == [loaded.asm["ptx"].encode() + b"\0"]


def test_a_cubin_is_loaded_if_ptxas_is_installed(gpu, kernel):
    gpu.assembler = SimpleNamespace(assemble=lambda llvm, ptx: SimpleNamespace(image=b"\x7fELF"))
    loaded = kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    assert gpu.loaded == [b"\x7fELF\0"]
    assert loaded.asm["cubin"] == b"\x7fELF"
    assert list(loaded.asm)[-2:] == ["ptx", "cubin"]


def test_the_second_launch_passes_new_values_to_the_same_kernel(gpu, kernel):
    first = kernel[(4,)](Tensor(), Tensor(), 100, 0.5)
    second = kernel[lambda meta: (meta["n"], meta["BLOCK"])](Tensor(address=16), Tensor(), 7, 1e39)
    assert second is first
    assert len(kernel.cache) == len(gpu.loaded) == 1
    assert gpu.launches[-1].grid == (7, 128, 1)
    assert gpu.launches[-1].read("PPif") == (16, 1 << 20, 7, float("inf"))


def test_kernel_grid_from_before_the_first_launch(gpu, kernel):
    launch = kernel[(1,)]
    for n in (100, 101):
        launch(Tensor(), Tensor(), n, 0.5)
    assert gpu.launches[-1].read("PPi")[-1] == 101


def test_an_empty_grid_launches_nothing(gpu, kernel):
    for _ in range(2):
        kernel[(0,)](Tensor(), Tensor(), 100, 0.5)
    assert gpu.launches == []


@pytest.mark.parametrize("blocks", [2, 16])
def test_clusters(gpu, kernel, blocks):
    """The kernel must allow clusters of more than eight blocks."""
    kernel[(4, 3)](Tensor(), Tensor(), 100, 0.5, num_ctas=blocks)
    assert gpu.launches[-1].grid == (4 * blocks, 3, 1)
    more = ("CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 1)
    assert (more in gpu.requests) == (blocks > 8)


def test_tuples_and_annotated_types(gpu):
    kernel = weft.jit(store_product.fn)
    array = Tensor(address=4096)
    for flag in (True, False):
        kernel[(1,)]((array, 9), 1.00390625, (1 << 64) - 1, flag)
        assert gpu.launches[-1].read("PiHQ?") == (4096, 9, 0x3F80, (1 << 64) - 1, flag)
    kernel[(1,)]((array, 9), float("nan"), 3, True)
    assert gpu.launches[-1].read("PiH")[-1] & 0x7FFF > 0x7F80
    kernel[(1,)]((array, 9), 3, 3, np.bool_(True))
    assert gpu.launches[-1].read("PiHQ?")[2:] == (0x4040, 3, True)


def test_arrays_with_a_cuda_array_interface(gpu, kernel):
    array = CudaArray(np.zeros(8, np.float32), 1, stream=12)
    kernel[(1,)](array, array, 100, 0.5)
    address = array.array.ctypes.data
    (launch,) = gpu.launches
    assert launch.read("PPif") == (address, address, 100, 0.5)
    assert (launch.stream, launch.context) == (12, 101)


def test_each_gpu_loads_the_kernel_in_its_context(gpu, kernel):
    gpu.context, gpu.streams[1] = 100, 5
    loadeds = [kernel[(1,)](Tensor(device=n), Tensor(device=n), 100, 0.5) for n in (0, 1)]
    assert [launch.context for launch in gpu.launches] == [100, 101]
    assert [launch.stream for launch in gpu.launches] == [0, 5]
    assert gpu.context == 100, "the caller keeps its context"
    assert [loaded.device for loaded in loadeds] == [0, 1]
    assert loadeds[0].artifact is loadeds[1].artifact, "compiled once"
    assert set(kernel.device_caches) == {0, 1}
    assert list(kernel.device_caches[1][0].values()) == [loadeds[1]]


def test_a_thread_without_a_context(gpu, kernel):
    kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    gpu.context = 0
    thread = threading.Thread(target=lambda: kernel[(1,)](Tensor(), Tensor(), 101, 0.5))
    thread.start()
    thread.join()
    assert len(gpu.launches) == 2
    assert gpu.launches[-1].context == 100


def test_threads_share_one_compilation(gpu, kernel):
    calls: list[tuple[object, ...]] = []

    def work(n: int) -> None:
        for _ in range(20):
            kernel[(n,)](Tensor(), Tensor(), 16 * n + 1, 0.5)
        calls.append((n,))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 4
    assert len(gpu.launches) == 80
    assert sorted({launch.grid[0] for launch in gpu.launches}) == [1, 2, 3, 4]
    assert len(DiskCache.open().files()) == 1


def test_cooperative_and_dependent_launches_set_attributes(gpu, kernel):
    kernel[(3,)](Tensor(), Tensor(), 100, 0.5, launch_cooperative_grid=True, launch_pdl=True)
    kinds = [number for number, _ in gpu.launches[-1].attributes]
    assert kinds == [2, 6]
    assert all(value[:4] == b"\1\0\0\0" for _, value in gpu.launches[-1].attributes)


def test_arrays_on_several_devices_are_an_error(gpu, kernel):
    with pytest.raises(LaunchError, match="the arrays are on several devices") as caught:
        kernel[(1,)](Tensor(), np.zeros(3, np.float32), 100, 0.5)
    assert "x on GPU 0, y on the CPU" in str(caught.value)
    kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    with pytest.raises(
        LaunchError, match="the arrays are on several devices"
    ):  # nor from the launch cache
        kernel[(1,)](Tensor(), Tensor(device=-1), 100, 0.5)
    with pytest.raises(LaunchError, match="the arrays are on several devices"):
        kernel[(1,)](Tensor(), Tensor(device=1), 100, 0.5)


def test_unknown_gpu_is_an_error(gpu, kernel):
    with pytest.raises(LaunchError, match="cannot use GPU 7"):
        kernel[(1,)](Tensor(device=7), Tensor(device=7), 100, 0.5)


def test_errors_of_the_driver_name_the_kernel(gpu, kernel):
    kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    gpu.refuse = [Code.CUDA_ERROR_ILLEGAL_ADDRESS] * 2
    with pytest.raises(LaunchError, match="cannot launch add") as caught:
        kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    assert "compute-sanitizer" in str(caught.value)
    gpu.refuse = [Code.CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES] * 2
    with pytest.raises(OutOfResourcesError, match="cannot launch add"):
        kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    gpu.refuse = [Code.CUDA_ERROR_INVALID_PTX]
    with pytest.raises(LaunchError, match="cannot load add"):
        kernel[(1,)](Tensor(), Tensor(), 100, 0.5, num_warps=2)


def test_out_of_resources(gpu, kernel):
    gpu.max_threads = 128
    with pytest.raises(
        OutOfResourcesError, match="out of resource: threads, Required: 256"
    ) as caught:
        kernel[(1,)](Tensor(), Tensor(), 100, 0.5, num_warps=8)
    assert "256 threads of 32 registers" in str(caught.value)
    gpu.shared = -1
    with pytest.raises(OutOfResourcesError, match="out of resource: shared memory, Required: 0"):
        kernel[(1,)](Tensor(), Tensor(), 100, 0.5, num_warps=4)


def test_more_threads_than_a_block_may_have(kernel):
    with pytest.raises(
        OutOfResourcesError, match="threads, Required: 4096, Hardware limit: 1024"
    ) as caught:
        kernel[(1,)](Tensor(), Tensor(), 100, 0.5, num_warps=128)
    assert (caught.value.required, caught.value.limit) == (4096, 1024)


def test_parameters_of_scratch_memory_are_null(gpu, kernel):
    # PTX that replaces the kernel's own may have them.
    gpu.arguments = 4 + 2
    kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    assert [struct.unpack_from("Q", each)[0] for each in gpu.launches[-1].parameters[4:]] == [0, 0]


def test_warmup_loads_and_reports_resources(gpu, kernel):
    loaded = kernel.warmup(np.dtype(np.float32), np.dtype(np.float32), 100, 0.5, grid=(1,))
    assert gpu.launches == []
    loaded._init_handles()
    assert (loaded.n_regs, loaded.n_spills, loaded.n_max_threads) == (32, 0, 1024)
    assert (loaded.name, loaded.shared, loaded.metadata.shared) == ("add", 0, 0)
    assert loaded.metadata.num_warps == 4
    assert list(loaded.asm) == ["ttir", "ttgir", "llir", "ptx"]
    assert "tt.func public @add" in loaded.asm["ttir"]
    assert "ttg.num-warps" in loaded.asm["ttgir"]
    assert ".entry add(" in loaded.asm["ptx"]

    with pytest.raises(KeyError, match="the stages are ttir, ttgir, llir, ptx"):
        loaded.asm["sass"]
    assert repr(loaded).startswith("GpuKernel(add, cuda:90, GPU 0: *fp32:16")
    loaded[(5,)](Tensor(address=16), Tensor(), 100, 0.25, 128)
    assert gpu.launches[-1].grid == (5, 1, 1)
    assert gpu.launches[-1].read("PPif") == (16, 1 << 20, 100, 0.25)
    loaded[(5,)](Tensor(), Tensor(), 100, 0.25, 128, stream=99)
    assert gpu.launches[-1].stream == 99
    assert kernel[(1,)](Tensor(), Tensor(), 100, 0.5) is loaded


def test_a_launch_without_arrays_uses_the_gpu_of_torch(gpu):
    kernel = weft.jit(empty.fn)
    gpu.torch_device = 1
    assert kernel[(1,)](5).device == 1


def test_launch_hooks(gpu, kernel):
    calls: list[tuple[str, object]] = []
    kernel.launch_metadata = lambda grid, metadata, args: {
        "flops": grid[0] * args["n"],
        "warps": metadata.num_warps,
    }
    enter, leave = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
    first = lambda metadata: calls.append(("enter", metadata.get()))  # noqa: E731
    last = lambda metadata: calls.append(("exit", metadata.data["name"]))  # noqa: E731
    enter.add(first)
    leave.add(last)
    try:
        kernel[(3,)](Tensor(), Tensor(), 100, 0.5)
        loaded = kernel[(3,)](Tensor(), Tensor(), 100, 0.5)
    finally:
        enter.remove(first)
        leave.remove(last)
    handle = int(loaded.function.handle)
    metadata = {"name": "add", "function": handle, "stream": 0, "flops": 300, "warps": 4}
    assert calls == [("enter", metadata), ("exit", "add")] * 2
    kernel[(3,)](Tensor(), Tensor(), 100, 0.5)
    assert len(calls) == 4


def test_load_hooks(gpu, kernel):
    calls: list[object] = []
    knobs.runtime.kernel_load_start_hook = lambda *arguments: calls.append(arguments)
    knobs.runtime.kernel_load_end_hook = lambda *arguments: calls.append(arguments)
    try:
        loaded = kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    finally:
        knobs.runtime.kernel_load_start_hook = knobs.runtime.kernel_load_end_hook = None
    assert calls == [
        (None, None, "add", {}, loaded.hash),
        (loaded.function.module, loaded.function.handle, "add", {}, loaded.hash),
    ]


def test_pre_run_hooks_receive_the_arguments(gpu, kernel):
    calls: list[object] = []
    kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    kernel.add_pre_run_hook(lambda *args, **kwargs: calls.append((len(args), sorted(kwargs))))
    kernel[(1,)](Tensor(), Tensor(), 100, scale=0.5)
    assert calls == [(3, ["scale"])]


class Descriptor:
    """A class with the attributes of Triton's TensorDescriptor."""

    def __init__(self, base, shape, strides, block_shape, padding="zero"):
        self.base, self.shape, self.strides, self.block_shape = base, shape, strides, block_shape
        self.padding = padding


@weft.jit
def by_descriptor(source, target):
    target.store([0, 8], source.load([4, 0]) * 2)


def test_a_descriptor_becomes_pointer_shape_and_strides_without_tma(monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    gpu = FakeCuda(monkeypatch, capability=80)
    x = Descriptor(Tensor(address=64), [8, 9], [16, 1], [4, 8], "nan")
    y = Descriptor(Tensor(address=128), [4, 16], [16, 1], [4, 8])
    gpu.arguments = 22
    weft.jit(by_descriptor.fn)[(1,)](x, y)
    formats = ["P", "q", "q", "q", "q", "?", "?", "i", "i", "q", "q"] * 2
    assert gpu.launches[-1].read(formats) == (
        64, 8, 9, 16, 1, True, False, 8, 9, 16, 1, 128, 4, 16, 16, 1, False, False, 4, 16, 16, 1
    )  # fmt: skip
