"""The hooks around the compilation of a kernel: `knobs.runtime.jit_cache_hook` and its kin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.compiler.options import library_paths
from weft.kernel.kernel_key import kernel_key
from weft.kernel.specialization_data import target_of, write_specialization

if TYPE_CHECKING:
    from weft.compiler.signature import Signature
    from weft.language.kernel_function import KernelFunction

__all__ = ["JitFunctionInfo", "call_hook"]


@dataclass
class JitFunctionInfo:
    """A kernel, as the hooks get it.

    Attributes:
        module: The name of its module.
        name: Its qualified name.
        jit_function: The kernel.
    """

    module: str
    name: str
    jit_function: KernelFunction


def call_hook(
    hook: Callable[..., object] | None,
    kernel: KernelFunction,
    signature: Signature,
    options: Mapping[str, object],
    gpu: int | None,
    is_warmup: bool,
) -> bool:
    """Call a hook with Triton's keywords.

    Args:
        hook: The hook, or None.
        kernel: The kernel.
        signature: The signature that it is compiled for.
        options: The compile options of the launch.
        gpu: The number of the GPU; None for the embedded CPU device.
        is_warmup: Whether the kernel is not launched.

    Returns:
        Whether the hook asks not to compile.
    """
    if hook is None:
        return False
    name = kernel.fn.__qualname__
    key = kernel_key(signature, options)
    details: dict[str, object] = {
        "key": key,
        "signature": signature.signature,
        "device": gpu,
        "constants": dict(signature.constants),
        "num_warps": options.get("num_warps"),
        "num_ctas": options.get("num_ctas"),
        "num_stages": options.get("num_stages"),
        "enable_fp_fusion": options.get("enable_fp_fusion"),
        "launch_cooperative_grid": options.get("launch_cooperative_grid"),
        "extern_libs": library_paths(options.get("extern_libs")),
        "configs": [signature.attrs],
        "specialization_data": write_specialization(kernel, signature, options, target_of(gpu)),
        "is_warmup": is_warmup,
    }
    result = hook(
        key=key,
        repr=f"{name}({signature})",
        fn=JitFunctionInfo(kernel.module, name, kernel),
        compile=details,
        is_manual_warmup=is_warmup,
        already_compiled=False,
    )
    return bool(result)
