"""`triton._internal_testing`: helpers that the test suites of Triton's users import.

Needs pytest, numpy and torch, as the tests do.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from weft import knobs
from weft import language as tl
from weft.compat.runtime import driver
from weft.compat.tensor_wrapper import TensorWrapper, reinterpret
from weft.compat.type_names import type_canonicalisation_dict
from weft.errors import LaunchError

int_dtypes = ["int8", "int16", "int32", "int64"]
uint_dtypes = ["uint8", "uint16", "uint32", "uint64"]
integral_dtypes = int_dtypes + uint_dtypes
float_dtypes = ["float16", "float32", "float64"]
float_dtypes_with_bfloat16 = [*float_dtypes, "bfloat16"]
dtypes = integral_dtypes + float_dtypes
dtypes_with_bfloat16 = [*dtypes, "bfloat16"]
torch_float8_dtypes = ["float8_e4m3fn", "float8_e5m2"]
torch_dtypes = ["bool", *int_dtypes, "uint8", *float_dtypes, "bfloat16"]
tma_dtypes = sorted({*dtypes_with_bfloat16} - {"int64", "uint64", "float64"})


def is_interpreter() -> bool:
    """Check whether TRITON_INTERPRET asks for Triton's interpreter."""
    return os.environ.get("TRITON_INTERPRET", "0") == "1"


def get_current_target() -> Any:
    """Get the target that launches compile for."""
    return driver.active.get_current_target()


def get_arch() -> str:
    """Get the architecture that launches compile for."""
    return str(get_current_target().arch)


def _capability() -> int:
    target = get_current_target()
    return int(target.arch) if target.backend == "cuda" else 0


def _is_amd(*arches: str) -> bool:
    target = get_current_target()
    return target.backend == "hip" and (not arches or str(target.arch).startswith(arches))


def is_cuda() -> bool:
    """Check for a CUDA device."""
    return get_current_target().backend == "cuda"


def is_ampere_or_newer() -> bool:
    """Check for compute capability 8.0."""
    return _capability() >= 80


def is_hopper() -> bool:
    """Check for compute capability 9.x."""
    return _capability() // 10 == 9


def is_hopper_or_newer() -> bool:
    """Check for compute capability 9.0."""
    return _capability() >= 90


def is_blackwell() -> bool:
    """Check for compute capability 10.x or 11.x."""
    return _capability() // 10 in (10, 11)


def is_blackwell_ultra() -> bool:
    """Check for compute capability 10.3."""
    return _capability() == 103


def is_sm12x() -> bool:
    """Check for compute capability 12.x."""
    return _capability() // 10 == 12


def is_hip() -> bool:
    """Check for an AMD device."""
    return _is_amd()


def is_hip_cdna2() -> bool:
    """Check for gfx90a."""
    return _is_amd("gfx90a")


def is_hip_cdna3() -> bool:
    """Check for gfx942."""
    return _is_amd("gfx942")


def is_hip_cdna4() -> bool:
    """Check for gfx950."""
    return _is_amd("gfx950")


def is_hip_cdna() -> bool:
    """Check for CDNA 2, 3 or 4."""
    return _is_amd("gfx90a", "gfx942", "gfx950")


def is_hip_rdna3() -> bool:
    """Check for RDNA 3."""
    return _is_amd("gfx11")


def is_hip_rdna4() -> bool:
    """Check for gfx12."""
    return _is_amd("gfx12")


def is_hip_rdna() -> bool:
    """Check for RDNA 3 or 4."""
    return is_hip_rdna3() or is_hip_rdna4()


def is_hip_gfx1250() -> bool:
    """Check for gfx1250."""
    return _is_amd("gfx1250")


def is_xpu() -> bool:
    """Check for an Intel GPU, which weft has no target for."""
    return False


def get_hip_lds_size() -> int:
    """Get the bytes of LDS of a workgroup."""
    return 163840 if is_hip_cdna4() else 65536


def supports_tma(byval_only: bool = False) -> bool:
    """Check for TMA."""
    return is_hopper_or_newer()


def supports_ws() -> bool:
    """Check for warp specialization."""
    return is_hopper_or_newer()


def tma_skip_msg(byval_only: bool = False) -> str:
    """Get the reason to skip a test that needs TMA."""
    return "Requires TMA support (NVIDIA Hopper or higher)"


def requires_tma(test: Callable[..., object]) -> Any:
    """Skip a test on a device without TMA."""
    pytest = import_module("pytest")  # only tests have it

    return pytest.mark.skipif(not supports_tma(), reason=tma_skip_msg())(test)


def numpy_random(
    shape: int | tuple[int, ...],
    dtype_str: str,
    rs: np.random.RandomState | None = None,
    low: int | None = None,
    high: int | None = None,
) -> Any:
    """Draw an array of an element type; integers are never 0, so that tests can divide by them."""
    random = np.random.RandomState(17) if rs is None else rs
    size = (shape,) if isinstance(shape, int) else shape
    if dtype_str in integral_dtypes:
        dtype = getattr(np, dtype_str)
        limits = np.iinfo(dtype)
        least = limits.min if low is None else max(low, limits.min)
        greatest = limits.max if high is None else min(high, limits.max)
        numbers = random.randint(least, greatest, size, dtype=dtype)
        return np.where(numbers == 0, dtype(1), numbers)
    if "float8" in dtype_str:
        return random.randint(20, 40, size, dtype=np.int8)
    normal = random.normal(0, 1, size)
    if dtype_str in float_dtypes:
        return normal.astype(dtype_str)
    if dtype_str == "bfloat16":
        bits = normal.astype(np.float32).view(np.uint32) & np.uint32(0xFFFF0000)
        return bits.view(np.float32)
    if dtype_str in ("bool", "int1", "bool_"):
        return normal > 0.0
    raise RuntimeError(f"Unknown dtype {dtype_str}")


def to_triton(x: Any, device: object, dst_type: str | None = None) -> Any:
    """Copy an array of numpy to a torch tensor, reinterpreted where torch lacks the type."""
    torch = import_module("torch")  # only tests need it

    name = x.dtype.name
    if name in uint_dtypes:
        signed = torch.tensor(x.astype(name.removeprefix("u")), device=device)
        return reinterpret(signed, getattr(tl, name))
    tensor = torch.tensor(x, device=device)
    if dst_type and "float8" in dst_type:
        return reinterpret(tensor, getattr(tl, dst_type))
    return tensor.bfloat16() if (name, dst_type) == ("float32", "bfloat16") else tensor


def to_numpy(x: Any) -> Any:
    """Copy a tensor to an array of numpy."""
    if isinstance(x, TensorWrapper):
        return x.base.cpu().numpy().astype(torch_dtype_name(x.dtype))
    if not hasattr(x, "numpy"):
        raise ValueError(f"Not a triton-compatible tensor: {x}")
    is_bfloat16 = str(x.dtype) == "torch.bfloat16"
    return (x.cpu().float() if is_bfloat16 else x.cpu()).numpy()


def str_to_triton_dtype(x: str) -> Any:
    """Get an element type by any of its names."""
    return tl.str_to_ty(type_canonicalisation_dict[x], None)


def torch_dtype_name(dtype: Any) -> str:
    """Get the name of a dtype of torch or the language, as numpy calls it."""
    return dtype.name if isinstance(dtype, tl.dtype) else str(dtype).removeprefix("torch.")


def unwrap_tensor(t: Any) -> Any:
    """Get the torch tensor of a reinterpreted tensor."""
    return t.base if isinstance(t, TensorWrapper) else t


def default_alloc_fn(size: int, align: int, _: object) -> Any:
    """Allocate scratch memory with torch."""
    torch = import_module("torch")  # only tests need it

    if not torch.cuda.is_available():
        raise LaunchError("scratch memory needs a GPU", found="no GPU")
    return torch.empty(size, dtype=torch.int8, device="cuda")


def _fresh_knobs_impl(
    skipped_attr: set[str] | None = None,
) -> tuple[Callable[[], Any], Callable[[], None]]:
    """Create a function that resets all knobs, and one that restores them."""
    groups = {
        name: group
        for name, group in vars(knobs).items()
        if isinstance(group, knobs.base_knobs) and name not in (skipped_attr or set())
    }
    variables = {each.key for group in groups.values() for each in group.knob_descriptors.values()}
    environment = {name: os.environ.get(name) for name in variables}
    propagate = knobs.propagate_env

    def reset_all() -> Any:
        for name, group in groups.items():
            setattr(knobs, name, group.copy().reset())
        for name in variables:
            os.environ.pop(name, None)
        knobs.propagate_env = True
        return knobs

    def restore() -> None:
        for name, group in groups.items():
            setattr(knobs, name, group)
        for name, value in environment.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        knobs.propagate_env = propagate

    return reset_all, restore
