"""kernel[grid](…) on an AMD GPU, with a fake of libamdhip64."""

from __future__ import annotations

import _ctypes
import struct
import sys
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import Tensor
from tests.launch.fake_hip import FakeHip
from weft.autotuner.timing import time_on_gpu
from weft.autotuner.trials import device_description
from weft.compat.runtime.driver import active
from weft.errors import LaunchError, OutOfResourcesError, UnknownTargetError
from weft.launch.array_protocols import view_array
from weft.launch.drivers.active import active_driver
from weft.launch.drivers.cuda.driver import CudaDriver
from weft.launch.drivers.gpu_driver import LaunchConfig
from weft.launch.drivers.hip import library
from weft.launch.drivers.hip.driver import HipDriver


@weft.jit
def add(x, y, n, scale, BLOCK: tl.constexpr = 128):  # pyright: ignore[reportArgumentType]
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * scale, mask=i < n)


@weft.jit
def reverse(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tile = tl.load(x + i[:, None] * BLOCK + i[None, :])
    tl.store(y + i[:, None] + i[None, :] * BLOCK, tile)


@pytest.fixture
def gpu(monkeypatch, tmp_path) -> FakeHip:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    return FakeHip(monkeypatch, devices=2)


@pytest.fixture
def kernel() -> weft.JITFunction:
    return weft.jit(add.fn)


def test_launch_passes_grid_block_stream_and_arguments(gpu, kernel):
    gpu.streams[0], gpu.formats = 55, "PPif"
    loaded = kernel[(4, 2)](Tensor(address=160), Tensor(address=320), 100, 0.5, num_warps=8)
    (launch,) = gpu.launches
    assert (launch.grid, launch.block, launch.stream) == ((4, 2, 1), (512, 1, 1), 55)
    assert (launch.function, launch.shared) == (int(loaded.function.handle), loaded.shared)
    assert launch.arguments == (160, 320, 100, 0.5)
    assert gpu.loaded == [loaded.asm["hsaco"].partition(b"\0")[0]], "up to the first zero byte"
    assert list(loaded.asm)[-2:] == ["amdgcn", "hsaco"]
    assert loaded.metadata.target == "hip:gfx942"
    assert (loaded.n_regs, loaded.n_spills) == (48, 6)


def test_launches_after_the_first(gpu, kernel):
    gpu.formats = "PPif"
    first = kernel[(4,)](Tensor(), Tensor(), 100, 0.5)
    second = kernel[(7,)](Tensor(address=16), Tensor(), 7, 1e39)
    assert second is first
    assert len(gpu.loaded) == 1
    assert gpu.launches[-1].arguments == (16, 1 << 20, 7, float("inf"))


def test_shared_memory_is_dynamic(gpu):
    loaded = weft.jit(reverse.fn)[(1,)](Tensor(), Tensor(), 32)
    assert loaded.shared > 0
    assert gpu.launches[-1].shared == loaded.shared


def test_cooperative_launch(gpu, kernel):
    kernel[(1,)](Tensor(), Tensor(), 100, 0.5, launch_cooperative_grid=True)
    assert gpu.launches[-1].cooperative


def test_each_gpu_loads_the_kernel(gpu, kernel):
    gpu.streams[1] = 5
    for n in (0, 1, 0):
        kernel[(1,)](Tensor(device=n), Tensor(device=n), 100, 0.5)
    assert [launch.device for launch in gpu.launches] == [0, 1, 0]
    assert [launch.stream for launch in gpu.launches] == [0, 5, 0]
    assert len(gpu.loaded) == 2
    assert gpu.device == 0, "a launch leaves the caller's device"


def test_the_images_of_modules_stay_in_memory(gpu, kernel):
    loaded = kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    assert HipDriver.get().images == [loaded.asm["hsaco"]]


@pytest.mark.parametrize(
    ("signature", "alignment"),
    [("*fp32, *fp32, i32, fp32, 128", 4), ("*fp32, *fp32, i64, fp16, 128", 8),
     ("*fp32, *fp32, i8, fp64, 128", 8), ("*fp32, *fp32, i16, fp32, 128", 4)],
)  # fmt: skip
def test_the_code_object_has_the_arguments_that_a_launch_packs(signature, alignment):
    compiled = weft.compile(add, signature=signature, target="hip:gfx942")
    formats = [{"*": "P", "f": {"fp16": "e", "fp32": "f", "fp64": "d"}.get(word)}.get(word[0])
               or {"i8": "b", "i16": "h", "i32": "i", "i64": "q"}[word]
               for word in signature.split(", ")[:-1]]  # fmt: skip
    metadata = kernel_metadata(compiled.asm["hsaco"])
    packed = [(struct.calcsize("".join(formats[:n]) + f"0{each}"), struct.calcsize(each))
              for n, each in enumerate(formats)]  # fmt: skip
    assert [(each[".offset"], each[".size"]) for each in metadata[".args"]] == packed
    assert metadata[".kernarg_segment_align"] >= alignment
    assert metadata[".group_segment_fixed_size"] == 0, "a launch passes all of it"
    assert metadata[".max_flat_workgroup_size"] == compiled.metadata.num_warps * 64
    assert metadata[".symbol"] == f"{compiled.name}.kd"


def kernel_metadata(hsaco: bytes) -> dict[str, Any]:
    """Read the metadata of a code object with one kernel: a note in MessagePack."""
    start = hsaco.index(b"AMDGPU\0\0")
    (size,) = struct.unpack_from("<I", hsaco, start - 8)
    return msgspec.msgpack.decode(hsaco[start + 8 : start + 8 + size])["amdhsa.kernels"][0]


def test_gpus_of_other_architectures(monkeypatch, tmp_path, kernel):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    FakeHip(monkeypatch, architecture="gfx1201")
    assert kernel[(1,)](Tensor(), Tensor(), 100, 0.5).metadata.warp_size == 32
    FakeHip(monkeypatch, architecture="gfx803")
    with pytest.raises(UnknownTargetError, match="gfx803"):
        weft.jit(add.fn)[(1,)](Tensor(), Tensor(), 100, 0.5)


def test_errors_of_the_runtime(gpu, kernel):
    gpu.refuse = [209]
    with pytest.raises(LaunchError, match="cannot load add: hiperrornobinaryforgpu"):
        kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    gpu.refuse = [701]
    with pytest.raises(OutOfResourcesError, match="cannot launch add"):
        kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    gpu.refuse = [700]
    with pytest.raises(LaunchError, match="cannot launch add") as caught:
        kernel[(1,)](Tensor(), Tensor(), 100, 0.5)
    assert "an earlier kernel caused it" in str(caught.value)
    with pytest.raises(LaunchError, match="use GPU 7"):
        active_driver().target_name(7)
    assert gpu.last_error == 0, "torch would report the error in another operation"


def test_too_many_threads_or_too_much_shared_memory(gpu):
    gpu.max_threads = 128
    with pytest.raises(OutOfResourcesError, match="threads, Required: 256, Hardware limit: 128"):
        weft.jit(add.fn)[(1,)](Tensor(), Tensor(), 100, 0.5)
    gpu.shared = 16
    with pytest.raises(OutOfResourcesError, match="shared memory, Required"):
        weft.jit(reverse.fn)[(1,)](Tensor(), Tensor(), 32)


def test_clusters_are_refused(gpu):
    function = active_driver().load(b"hsaco", "add", 0, 0)
    with pytest.raises(LaunchError, match="cannot be launched on an AMD GPU"):
        active_driver().launcher(function, LaunchConfig(64, 0, num_ctas=2), [])


def test_timing(gpu, kernel):
    (median,) = time_on_gpu(lambda: kernel[(1,)](Tensor(), Tensor(), 100, 0.5), 0)
    assert median == pytest.approx(1.0)
    assert not gpu._memory, "the buffer that evicts the L2 cache is freed"
    assert gpu.live_events == 0


def test_waiting_for_another_stream(gpu):
    active_driver().wait_for_stream(3, 4, 0)
    assert gpu.requests == [("record", 4), ("wait", 3), ("destroy", 1)]


def test_memory_in_stream_order(gpu):
    driver = active_driver()
    address = driver.allocate_async(9, 256)
    driver.free_async(9, address)
    assert gpu.requests == [("allocate", 256, 9), ("free", 1 << 30, 9)]


def test_properties(gpu):
    assert active_driver().device_name(0) == "AMD Instinct MI300X"
    assert device_description(0) == "hip:gfx942, 304 multiprocessors"
    properties = active.utils.get_device_properties(0)
    assert properties["multiprocessor_count"] == 304
    assert (properties["warpSize"], properties["max_shared_mem"]) == (64, 65536)
    assert active.get_current_target().arch == "gfx942"
    assert active_driver().device_of_address(1 << 40) == 1


def test_the_driver_is_that_of_torch(monkeypatch):
    FakeHip(monkeypatch)
    assert isinstance(active_driver(), HipDriver)
    torch = sys.modules["torch"]
    monkeypatch.setattr(torch, "version", SimpleNamespace(hip=None, cuda="12.8"))
    monkeypatch.setattr(CudaDriver, "get", lambda: "cuda")
    assert active_driver() == "cuda"
    monkeypatch.setattr(torch, "version", SimpleNamespace(hip=None, cuda=None))
    monkeypatch.setattr(HipDriver, "is_installed", lambda: True)
    monkeypatch.setattr(CudaDriver, "is_installed", lambda: False)
    assert isinstance(active_driver(), HipDriver), "torch for CPUs decides nothing"


@pytest.mark.parametrize(("hip", "cuda"), [(True, False), (True, True), (False, True)])
def test_the_driver_without_torch(monkeypatch, hip, cuda):
    FakeHip(monkeypatch)
    monkeypatch.delitem(sys.modules, "torch")
    monkeypatch.setattr(HipDriver, "is_installed", lambda: hip)
    monkeypatch.setattr(CudaDriver, "is_installed", lambda: cuda)
    monkeypatch.setattr(CudaDriver, "get", lambda: "cuda")
    assert (active_driver() == "cuda") == (cuda or not hip)


class RocmArray:
    """An array that exports DLPack from an AMD GPU, and records the stream that it is asked for."""

    def __init__(self) -> None:
        self.streams: list[int] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return (10, 1)

    def __dlpack__(self, stream: int) -> object:
        self.streams.append(stream)
        raise BufferError


def test_dlpack_of_rocm_names_the_default_stream_0():
    array = RocmArray()
    with pytest.raises(BufferError):
        view_array(array, "x", 0)
    assert array.streams == [0]


def test_a_missing_library(monkeypatch):
    monkeypatch.setattr(library, "_NAMES", ("libno-such-hip.so",))
    monkeypatch.setattr(library, "_DEFAULT_ROOT", "/no/such/folder")
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert not library.is_installed()
    with pytest.raises(LaunchError, match="no HIP runtime on this machine"):
        library.load_library()
    monkeypatch.setenv("WEFT_LIBHIP", "/no/such/library.so")
    with pytest.raises(LaunchError, match="WEFT_LIBHIP cannot be loaded"):
        library.load_library()
    monkeypatch.delenv("WEFT_LIBHIP")
    monkeypatch.setenv("TRITON_LIBHIP_PATH", "/no/such/library.so")
    with pytest.raises(LaunchError, match="TRITON_LIBHIP_PATH cannot be loaded"):
        library.load_library()


def test_the_library_in_rocm_s_folder(monkeypatch, tmp_path):
    # Any library will do: it loads, and lacks HIP's functions.
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libamdhip64.so").symlink_to(_ctypes.__file__)
    monkeypatch.setattr(library, "_NAMES", ("libno-such-hip.so",))
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    assert library.is_installed()
    with pytest.raises(LaunchError, match="the HIP runtime of this machine is too old"):
        library.load_library()
