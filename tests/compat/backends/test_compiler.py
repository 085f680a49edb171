"""The back end classes: options, specialization, and methods that weft does not have."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from weft import knobs
from weft.compat.backends.amd.compiler import HIPBackend, HIPOptions, get_min_dot_size
from weft.compat.backends.amd.driver import HIPDriver
from weft.compat.backends.compiler import GPUTarget
from weft.compat.backends.nvidia.compiler import (
    CUDABackend,
    CUDAOptions,
    min_dot_size,
    sm_arch_from_capability,
)
from weft.compat.backends.nvidia.driver import CudaDriver
from weft.errors import LaunchError, UnsupportedError
from weft.language import float8e5, float16

CUDA, HIP = GPUTarget("cuda", 90, 32), GPUTarget("hip", "gfx942", 64)
BACKENDS = (CUDABackend(CUDA), HIPBackend(HIP))


def test_options_are_those_of_the_kind_of_device():
    cuda, hip = (each.parse_options({"num_warps": 8}) for each in BACKENDS)
    assert isinstance(cuda, CUDAOptions)
    assert isinstance(hip, HIPOptions)
    assert (cuda.arch, hip.arch, hip.warp_size) == ("sm90", "gfx942", 64)
    assert HIPOptions(arch="gfx1201").warp_size == 32
    assert not cuda.enable_iisan
    assert cuda.hash() != CUDAOptions().hash()
    assert CUDAOptions(extern_libs={"a": "b"}).extern_libs == (("a", "b"),)
    with pytest.raises(LaunchError, match="num_warps must be a power of 2"):
        CUDAOptions(num_warps=3)


def test_names_of_targets_and_metadata():
    for backend, name, packed in zip(
        BACKENDS, ("cuda:90", "hip:gfx942"), ((8, 1, 16), (8, 8, 1, 16)), strict=True
    ):
        options = backend.parse_options({"num_warps": 8})
        assert backend.get_target_name(options) == name
        metadata = type("M", (), {"num_warps": 8, "num_ctas": 1, "shared": 16})
        assert backend.pack_metadata(metadata) == packed


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
def test_stages_are_refused_with_a_hint(backend):
    stages = [
        name
        for name, _ in inspect.getmembers(backend, callable)
        if name.startswith(("make_", "add_stages", "gluon_to"))
    ]
    assert len(stages) == 7
    for name in stages:
        method = getattr(backend, name)
        count = len(inspect.signature(method).parameters)
        with pytest.raises(UnsupportedError, match=f"weft has no {name}") as caught:
            method(*range(count))
        assert "weft opt runs them" in str(caught.value)


def test_small_arrays_of_amd_are_specialized_by_size():
    array = np.zeros(1024, np.float32)
    letters = HIPBackend.get_tensor_specialization(array, align=False)
    assert letters == "S"
    assert CUDABackend.get_tensor_specialization(array, align=False) == ""
    with knobs.amd.scope():
        knobs.amd.use_buffer_ops = False
        assert HIPBackend.get_tensor_specialization(array, align=False) == ""
    assert HIPBackend.parse_attr("DS") == [["tt.divisibility", 16], ["tt.pointer_range", 32]]
    assert CUDABackend.parse_attr("DS") == [["tt.divisibility", 16]]


def test_facts_of_chips():
    assert min_dot_size(CUDA)(float8e5, float8e5) == (1, 1, 32)
    assert min_dot_size(CUDA)(float16, float16) == (1, 1, 16)
    assert get_min_dot_size(HIP)(float16, float16) == (1, 1, 1)
    assert [sm_arch_from_capability(each) for each in (80, 90)] == ["sm_80", "sm_90a"]


def test_types_of_launcher_arguments():
    cuda, hip = CudaDriver(), HIPDriver()
    assert cuda.map_python_to_cpp_type("*fp16") == "CUdeviceptr"
    assert hip.map_python_to_cpp_type("*fp16") == "hipDeviceptr_t"
    assert [cuda.map_python_to_cpp_type(each) for each in ("i64", "u1", "fp32")] == [
        "int64_t", "uint8_t", "double",
    ]  # fmt: skip
    with pytest.raises(LaunchError, match="unknown type of an argument"):
        cuda.map_python_to_cpp_type("fp7")
