"""Peak rates of a GPU from what its driver reports, under Triton's names.

    get_dram_gbps(0)                                    # 4,800 on an H200
    get_max_tensorcore_tflops(torch.float16, clock_khz)

Rates of arithmetic are those of NVIDIA's GPUs; a GPU's data sheet is in `weft.targets.boards`. The
functions that lock clocks or run `cuda-memcheck` are not offered: a test suite should not set up
the machine.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from weft.errors import LaunchError
from weft.launch.devices import current_gpu
from weft.launch.drivers.active import active_driver
from weft.launch.drivers.gpu_driver import DeviceProperties

__all__ = ["get_dram_gbps", "get_max_simd_tflops", "get_max_tensorcore_tflops", "nvsmi"]

# Operations of a quarter of a multiprocessor in a clock, by element type, on compute capability 8.0
# and later; earlier GPUs follow. Source: Triton 3.7.1, triton/testing.py. The numbers of tensor
# cores are those of the A100: boards.toml has the rates of later ones.
_TENSOR_CORE = {
    **dict.fromkeys(("float32", "int32"), 256),
    **dict.fromkeys(("float16", "bfloat16", "int16"), 512),
    **dict.fromkeys(("int8", "float8e4nv", "float8e4b15", "float8e5", "fp8e4nv", "fp8e5"), 1024),
}
_EARLIER_TENSOR_CORE = {"float16": 256}
_SIMD = {"float32": 32, "float16": 64, "bfloat16": 64}
_EARLIER_SIMD = {"float32": 32, "float16": 64}
_QUARTERS = 4


def get_dram_gbps(device: int | None = None) -> float:
    """Compute the bandwidth of a GPU's memory in GB/s.

    Args:
        device: The number of the GPU; None for torch's current one.

    Raises:
        LaunchError: There is no GPU.
    """
    properties = _properties(device)
    # Two transfers in a clock, of memory_bus_bits each.
    return properties.memory_clock_khz * properties.memory_bus_bits * 2 / 1e6 / 8


def get_max_tensorcore_tflops(dtype: object, clock_rate: float, device: int | None = None) -> float:
    """Compute the peak rate of a GPU's tensor cores in TFLOPS.

    Args:
        dtype: The element type, of torch or of weft.language.
        clock_rate: The clock rate in kHz.
        device: The number of the GPU; None for torch's current one.

    Raises:
        LaunchError: There is no NVIDIA GPU, or its tensor cores have no such type.
    """
    rates = _TENSOR_CORE if _capability(device) >= 80 else _EARLIER_TENSOR_CORE
    return _tflops(rates, dtype, clock_rate, device)


def get_max_simd_tflops(dtype: object, clock_rate: float, device: int | None = None) -> float:
    """Compute the peak rate of a GPU without its tensor cores in TFLOPS.

    Args:
        dtype: The element type, of torch or of weft.language.
        clock_rate: The clock rate in kHz.
        device: The number of the GPU; None for torch's current one.

    Raises:
        LaunchError: There is no NVIDIA GPU, or it has no such type.
    """
    rates = _SIMD if _capability(device) >= 80 else _EARLIER_SIMD
    return _tflops(rates, dtype, clock_rate, device)


def nvsmi(attrs: Sequence[str]) -> list[int]:
    """Query numbers of the first GPU with nvidia-smi, such as "clocks.max.sm".

    Raises:
        LaunchError: There is no nvidia-smi, or it fails.
    """
    query = f"--query-gpu={','.join(attrs)}"
    command = ["nvidia-smi", "-i", "0", query, "--format=csv,noheader,nounits"]
    try:
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise LaunchError("nvidia-smi cannot query the GPU", found=str(error)) from error
    return [int(number) for number in text.split(",")]


def _tflops(rates: dict[str, int], dtype: object, clock_rate: float, device: int | None) -> float:
    name = str(dtype).removeprefix("torch.")
    short = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}.get(name, name)
    if short not in rates:
        raise LaunchError("dtype not supported", found=name, accepted=list(rates))
    return _properties(device).multiprocessors * _QUARTERS * clock_rate * rates[short] * 1e-9


def _device(device: int | None) -> int:
    number = current_gpu(initialized_only=False) if device is None else device
    if number is None:
        raise LaunchError("there is no GPU to query", found="torch has no GPU")
    return number


def _properties(device: int | None) -> DeviceProperties:
    return active_driver().properties(_device(device))


def _capability(device: int | None) -> int:
    """Query the compute capability of an NVIDIA GPU, such as 90.

    Raises:
        LaunchError: The GPU is of another vendor, whose rates are not known here.
    """
    name = active_driver().target_name(_device(device))
    backend, _, arch = name.partition(":")
    if backend != "cuda":
        raise LaunchError(
            "the peak rates of this GPU are not known",
            found=name,
            accepted=["a GPU of NVIDIA"],
            hint="weft.targets.boards has the rates of boards",
        )
    return int(arch)
