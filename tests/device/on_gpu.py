"""Run the launches of numpy kernels on a GPU: arrays are copied there and back.

with on_gpu(num_warps=2):
    examples.softmax.main()             # checks against numpy, as it does on the CPU

with on_gpu(recorded=Path("ttgir")):    # the same from TTGIR that Triton made of the launches
    examples.softmax.main()
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch

import weft
from weft.kernel.jit import JITFunction
from weft.kernel.specialization import specialize
from weft.launch.binding import bind
from weft.launch.tensor_descriptor import TensorDescriptor, with_base

__all__ = ["launch_key", "on_gpu"]


def _to_gpu(value: Any) -> Any:
    """Copy the arrays of an argument to the GPU."""
    if isinstance(value, np.ndarray):
        raw = torch.from_numpy(np.ascontiguousarray(value).reshape(-1).view(np.uint8)).cuda()
        return raw.view(getattr(torch, value.dtype.name)).reshape(value.shape)
    if isinstance(value, TensorDescriptor):
        return with_base(value, _to_gpu(value.base))
    return value


def _to_host(value: Any, sent: Any) -> None:
    """Copy the arrays of an argument back."""
    if isinstance(value, np.ndarray):
        raw = sent.contiguous().reshape(-1).view(torch.uint8).cpu().numpy()
        value[...] = raw.view(value.dtype).reshape(value.shape)
    elif isinstance(value, TensorDescriptor):
        _to_host(value.base, sent.base)


def launch_key(kernel: JITFunction, signature: object, options: Mapping[str, Any]) -> str:
    """Compute a name of the kernel that a launch compiles, the same on every machine."""
    identity = f"{kernel.name}|{signature}|{sorted(options.items())}"
    return f"{kernel.name}-{hashlib.sha256(identity.encode()).hexdigest()[:12]}"


@contextmanager
def on_gpu(
    num_warps: int | None = None,
    num_stages: int | None = None,
    recorded: Path | None = None,
    target: str = "cuda:90",
) -> Iterator[list[str]]:
    """Run kernels on the GPU within the context; provide the keys of the launches.

    Args:
        num_warps: The number of warps, None for the default.
        num_stages: The depth of the software pipeline, None for the default.
        recorded: A folder of TTGIR files by `launch_key` to launch instead; each must exist.
        target: The target of the GPU.
    """
    launched: list[str] = []
    overrides = {"num_warps": num_warps, "num_stages": num_stages}
    extra = {name: value for name, value in overrides.items() if value is not None}

    def launch(kernel: JITFunction, grid: Any) -> Any:
        def run(*args: Any, **kwargs: Any) -> None:
            kwargs = extra | kwargs
            sent = [_to_gpu(value) for value in args]
            named = {name: _to_gpu(value) for name, value in kwargs.items()}
            values, options = bind(kernel, tuple(sent), named)
            signature = specialize(kernel, list(values.values()))
            key = launch_key(kernel, signature, options)
            if recorded is None:
                original(kernel, grid)(*sent, **named)
            else:
                compiled = weft.compile(recorded / f"{key}.ttgir", target=target)
                arguments = list(values.values())
                compiled[grid](*(arguments[path[0]] for path, _ in signature.runtime_arguments()))
            launched.append(key)
            for value, back in zip(
                (*args, *kwargs.values()), (*sent, *named.values()), strict=True
            ):
                _to_host(value, back)

        return run

    original = JITFunction.__getitem__
    JITFunction.__getitem__ = launch  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield launched
    finally:
        JITFunction.__getitem__ = original
