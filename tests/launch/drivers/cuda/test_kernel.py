"""kernel[grid](…) on a GPU that is not there: what is compiled, loaded, passed and told."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import Code, CudaArray, FakeCuda, Tensor
from weft import knobs
from weft.compiler.cache import Store
from weft.errors import LaunchError, OutOfResourcesError


@weft.jit
def add(x, y, n, scale, BLOCK: tl.constexpr = 128):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * scale, mask=i < n)


@weft.jit
def of_tuple(pair, factor: tl.bfloat16, top: tl.uint64, flag):
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


def test_a_launch_passes_grid_block_stream_and_arguments(gpu, kernel):
    gpu.streams[0] = 55
    program = kernel[(4, 2)](Tensor(address=160), Tensor(address=320), 100, 0.5, num_warps=8)
    (launch,) = gpu.launches
    assert (launch.grid, launch.block, launch.stream) == ((4, 2, 1), (256, 1, 1), 55)
    assert launch.function == int(program.function.handle)
    assert launch.read("PPif") == (160, 320, 100, 0.5)
    assert launch.attributes == []
    assert gpu.loaded == [program.asm["ptx"].encode() + b"\0"]


def test_a_cubin_is_loaded_where_there_is_an_assembler(gpu, kernel):
    gpu.assembler = SimpleNamespace(assemble=lambda llvm, ptx: SimpleNamespace(image=b"\x7fELF"))
    program = kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    assert gpu.loaded == [b"\x7fELF\0"]
    assert program.asm["cubin"] == b"\x7fELF"
    assert list(program.asm)[-2:] == ["ptx", "cubin"]


def test_the_second_launch_is_the_same_program_and_passes_new_values(gpu, kernel):
    first = kernel[(4,)](Tensor(), Tensor(), 100, 0.5)
    second = kernel[lambda meta: (meta["n"], meta["BLOCK"])](Tensor(address=16), Tensor(), 7, 1e39)
    assert second is first
    assert len(kernel.cache) == len(gpu.loaded) == 1
    assert gpu.launches[-1].grid == (7, 128, 1)
    assert gpu.launches[-1].read("PPif") == (16, 1 << 20, 7, float("inf"))


def test_a_handle_from_before_the_first_launch_serves_all(gpu, kernel):
    launch = kernel[(1,)]
    for n in (100, 101):
        launch(Tensor(), Tensor(), n, 0.5)
    assert gpu.launches[-1].read("PPi")[-1] == 101


def test_an_empty_grid_launches_nothing(gpu, kernel):
    for _ in range(2):
        kernel[(0,)](Tensor(), Tensor(), 100, 0.5)
    assert gpu.launches == []


@pytest.mark.parametrize("blocks", [2, 16])
def test_a_program_may_be_a_cluster(gpu, kernel, blocks):
    """Clusters of more than eight blocks are asked for."""
    kernel[(4, 3)](Tensor(), Tensor(), 100, 0.5, num_ctas=blocks)
    assert gpu.launches[-1].grid == (4 * blocks, 3, 1)
    more = ("CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 1)
    assert (more in gpu.asked) == (blocks > 8)


def test_tuples_and_types_of_their_own_are_written_as_the_kernel_reads_them(gpu):
    kernel = weft.jit(of_tuple.fn)
    array = Tensor(address=4096)
    for flag in (True, False):
        kernel[(1,)]((array, 9), 1.00390625, (1 << 64) - 1, flag)
        assert gpu.launches[-1].read("PiHQ?") == (4096, 9, 0x3F80, (1 << 64) - 1, flag)
    kernel[(1,)]((array, 9), float("nan"), 3, True)
    assert gpu.launches[-1].read("PiH")[-1] & 0x7FFF > 0x7F80
    kernel[(1,)]((array, 9), 3, 3, np.bool_(True))
    assert gpu.launches[-1].read("PiHQ?")[2:] == (0x4040, 3, True)


def test_arrays_of_other_libraries(gpu, kernel):
    array = CudaArray(np.zeros(8, np.float32), 1, stream=12)
    kernel[(1,)](array, array, 100, 0.5)
    address = array.array.ctypes.data
    (launch,) = gpu.launches
    assert launch.read("PPif") == (address, address, 100, 0.5)
    assert (launch.stream, launch.context) == (12, 101)


def test_each_gpu_gets_the_kernel_in_its_own_context(gpu, kernel):
    gpu.context, gpu.streams[1] = 100, 5
    programs = [kernel[(1,)](Tensor(device=n), Tensor(device=n), 100, 0.5) for n in (0, 1)]
    assert [launch.context for launch in gpu.launches] == [100, 101]
    assert [launch.stream for launch in gpu.launches] == [0, 5]
    assert gpu.context == 100, "the caller's GPU stays its own"
    assert [program.device for program in programs] == [0, 1]
    assert programs[0].artifact is programs[1].artifact, "compiled once"
    assert set(kernel.device_caches) == {0, 1}
    assert list(kernel.device_caches[1][0].values()) == [programs[1]]


def test_a_thread_without_a_context_gets_one(gpu, kernel):
    kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    gpu.context = 0
    thread = threading.Thread(target=lambda: kernel[(1,)](Tensor(), Tensor(), 101, 0.5))
    thread.start()
    thread.join()
    assert len(gpu.launches) == 2
    assert gpu.launches[-1].context == 100


def test_threads_launch_at_once_and_compile_once(gpu, kernel):
    seen: list[tuple[object, ...]] = []

    def work(n: int) -> None:
        for _ in range(20):
            kernel[(n,)](Tensor(), Tensor(), 16 * n + 1, 0.5)
        seen.append((n,))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 4
    assert len(gpu.launches) == 80
    assert sorted({launch.grid[0] for launch in gpu.launches}) == [1, 2, 3, 4]
    assert len(Store.open().entries()) == 1


def test_clusters_cooperation_and_dependence_are_attributes_of_the_launch(gpu, kernel):
    kernel[(3,)](Tensor(), Tensor(), 100, 0.5, launch_cooperative_grid=True, launch_pdl=True)
    kinds = [number for number, _ in gpu.launches[-1].attributes]
    assert kinds == [2, 6]
    assert all(value[:4] == b"\1\0\0\0" for _, value in gpu.launches[-1].attributes)


def test_host_arrays_beside_those_of_the_gpu_are_an_error_that_names_them(gpu, kernel):
    with pytest.raises(LaunchError, match="must be on one device") as caught:
        kernel[(1,)](Tensor(), np.zeros(3, np.float32), 100, 0.5)
    assert "x on GPU 0, y on the CPU" in str(caught.value)
    kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    with pytest.raises(LaunchError, match="must be on one device"):  # nor when it was seen before
        kernel[(1,)](Tensor(), Tensor(device=-1), 100, 0.5)
    with pytest.raises(LaunchError, match="must be on one device"):
        kernel[(1,)](Tensor(), Tensor(device=1), 100, 0.5)


def test_a_gpu_that_is_not_there(gpu, kernel):
    with pytest.raises(LaunchError, match="refuses to use GPU 7"):
        kernel[(1,)](Tensor(device=7), Tensor(device=7), 100, 0.5)


def test_what_the_driver_refuses_says_of_which_kernel(gpu, kernel):
    kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    gpu.refuse = [Code.CUDA_ERROR_ILLEGAL_ADDRESS] * 2
    with pytest.raises(LaunchError, match="refuses to launch add") as caught:
        kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    assert "compute-sanitizer" in str(caught.value)
    gpu.refuse = [Code.CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES] * 2
    with pytest.raises(OutOfResourcesError, match="refuses to launch add"):
        kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    gpu.refuse = [Code.CUDA_ERROR_INVALID_PTX]
    with pytest.raises(LaunchError, match="refuses to load add"):
        kernel[(1,)](Tensor(), Tensor(), 100, 0.5, num_warps=2)


def test_a_kernel_that_is_too_large_for_the_gpu(gpu, kernel):
    gpu.max_threads = 128
    with pytest.raises(OutOfResourcesError, match="too few registers for its threads") as caught:
        kernel[(1,)](Tensor(), Tensor(), 100, 0.5, num_warps=8)
    assert "256 threads of 32 registers" in str(caught.value)
    gpu.shared = -1
    with pytest.raises(OutOfResourcesError, match="more shared memory than a block can have"):
        kernel[(1,)](Tensor(), Tensor(), 100, 0.5, num_warps=4)


def test_warmup_compiles_loads_and_says_what_the_kernel_takes(gpu, kernel):
    program = kernel.warmup(np.dtype(np.float32), np.dtype(np.float32), 100, 0.5, grid=(1,))
    assert gpu.launches == []
    program._init_handles()
    assert (program.n_regs, program.n_spills, program.n_max_threads) == (32, 0, 1024)
    assert (program.name, program.shared, program.metadata.shared) == ("add", 0, 0)
    assert program.metadata.num_warps == 4
    assert list(program.asm) == ["ttir", "ttgir", "llir", "ptx"]
    assert "tt.func public @add" in program.asm["ttir"]
    assert "ttg.num-warps" in program.asm["ttgir"]
    assert ".entry add(" in program.asm["ptx"]

    with pytest.raises(KeyError, match="compiled to ttir, ttgir, llir, ptx"):
        program.asm["sass"]
    assert repr(program).startswith("GpuProgram(add, cuda:90, GPU 0: *fp32:16")
    program[(5,)](Tensor(address=16), Tensor(), 100, 0.25, 128)
    assert gpu.launches[-1].grid == (5, 1, 1)
    assert gpu.launches[-1].read("PPif") == (16, 1 << 20, 100, 0.25)
    program[(5,)](Tensor(), Tensor(), 100, 0.25, 128, stream=99)
    assert gpu.launches[-1].stream == 99
    assert kernel[(1,)](Tensor(), Tensor(), 100, 0.5) is program


def test_a_launch_without_arrays_goes_to_torch_s_gpu(gpu):
    kernel = weft.jit(empty.fn)
    gpu.torch_device = 1
    assert kernel[(1,)](5).device == 1


def test_hooks_see_every_launch(gpu, kernel):
    seen: list[tuple[str, object]] = []
    kernel.launch_metadata = lambda grid, metadata, args: {
        "flops": grid[0] * args["n"],
        "warps": metadata.num_warps,
    }
    enter, leave = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
    first = lambda metadata: seen.append(("enter", metadata.get()))  # noqa: E731
    last = lambda metadata: seen.append(("exit", metadata.data["name"]))  # noqa: E731
    enter.add(first)
    leave.add(last)
    try:
        for _ in range(2):
            program = kernel[(3,)](Tensor(), Tensor(), 100, 0.5)
    finally:
        enter.remove(first)
        leave.remove(last)
    handle = int(program.function.handle)
    said = {"name": "add", "function": handle, "stream": 0, "flops": 300, "warps": 4}
    assert seen == [("enter", said), ("exit", "add")] * 2
    kernel[(3,)](Tensor(), Tensor(), 100, 0.5)
    assert len(seen) == 4


def test_hooks_see_every_load(gpu, kernel):
    seen: list[object] = []
    knobs.runtime.kernel_load_start_hook = lambda *said: seen.append(said)
    knobs.runtime.kernel_load_end_hook = lambda *said: seen.append(said)
    try:
        program = kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    finally:
        knobs.runtime.kernel_load_start_hook = knobs.runtime.kernel_load_end_hook = None
    assert seen == [
        (None, None, "add", {}, program.hash),
        (program.function.module, program.function.handle, "add", {}, program.hash),
    ]


def test_hooks_before_a_run_see_the_arguments(gpu, kernel):
    seen: list[object] = []
    kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    kernel.add_pre_run_hook(lambda *args, **kwargs: seen.append((len(args), sorted(kwargs))))
    kernel[(1,)](Tensor(), Tensor(), 100, scale=0.5)
    assert seen == [(0, ["BLOCK", "n", "scale", "x", "y"])]


class Descriptor:
    """As a tensor descriptor made on the host looks."""

    def __init__(self, base, shape, strides, block_shape, padding="zero"):
        self.base, self.shape, self.strides, self.block_shape = base, shape, strides, block_shape
        self.padding = padding


@weft.jit
def by_descriptor(source, target):
    target.store([0, 8], source.load([4, 0]) * 2)


def test_a_descriptor_is_its_parts_where_the_chip_has_no_such_thing(monkeypatch, tmp_path):
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
