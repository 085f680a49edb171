"""Operations of mamba-ssm: the state space dual (SSD) of Mamba 2, its parts, and Mamba 3."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import torch

from benchmarks.real_package_workloads.inputs import Build, Inputs, Operation, Tensor
from benchmarks.real_package_workloads.partial_imports import import_without_init

__all__ = ["OMITTED", "WORKLOADS"]


def _import(name: str) -> ModuleType:
    """Import a module of Triton kernels; the package's own `__init__` imports compiled code."""
    import_without_init("mamba_ssm")
    return import_module(f"mamba_ssm.ops.triton.{name}")


def _sizes(make: Inputs) -> tuple[int, int, int, int, int]:
    """Choose batch, length, heads, width of a head and size of the state."""
    sizes = (make.size(4, 1), make.size(2048, 64), make.size(24, 2), make.size(64, 32))
    return (*sizes, make.size(128, 16))


def _decay(make: Inputs, heads: int) -> Tensor:
    return (-torch.exp(torch.randn(heads, device=make.device))).requires_grad_()


def _ssd(*, gated: bool) -> Build:
    def build(make: Inputs) -> Operation:
        batch, length, heads, width, state = _sizes(make)
        shape = (batch, length, heads, width)
        args = [
            make.normal(*shape),
            make.normal(*shape[:3], dtype=torch.float32),
            _decay(make, heads),
            make.normal(batch, length, 1, state),
            make.normal(batch, length, 1, state),
            make.size(256, 32),
        ]
        options: dict[str, Any] = {"D": make.normal(heads, dtype=torch.float32)}
        options |= {"dt_bias": make.normal(heads, dtype=torch.float32), "dt_softplus": True}
        if gated:
            options["z"] = make.normal(*shape)
        return Operation(_import("ssd_combined").mamba_chunk_scan_combined, args, options)

    return build


def _state_update(make: Inputs) -> Operation:
    batch, heads, width, size = make.size(64, 2), make.size(24, 2), make.size(64, 16), 128
    rows = (batch, heads, width)
    decay = -torch.rand(heads, width, size, device=make.device)
    args = [make.normal(*rows, size, grad=False), make.normal(*rows, grad=False)]
    args += [make.normal(*rows, grad=False), decay]
    args += [make.normal(batch, 1, size, grad=False) for _ in range(2)]
    options: dict[str, Any] = {"D": make.normal(heads, width, grad=False), "dt_softplus": True}
    options |= {
        "z": make.normal(*rows, grad=False),
        "dt_bias": make.normal(heads, width, grad=False),
    }
    return Operation(_import("selective_state_update").selective_state_update, args, options)


def _norm(module: str, name: str, *, bias: bool, gated: bool = False) -> Build:
    def build(make: Inputs) -> Operation:
        rows, width = make.size(4096, 8), make.size(4096, 64)
        args: list[Any] = [make.normal(rows, width), make.normal(width, dtype=torch.float32)]
        args.append(make.normal(width, dtype=torch.float32) if bias else None)
        options = {"z": make.normal(rows, width)} if gated else {}
        return Operation(getattr(_import(module), name), args, options)

    return build


def _swiglu(make: Inputs) -> Operation:
    rows, width = make.size(4096, 8), make.size(4096, 64)
    return Operation(_import("k_activations").swiglu, [make.normal(rows, 2 * width)])


def _chunk(name: str, build_arguments: Callable[[Inputs], list[Any]]) -> Build:
    def build(make: Inputs) -> Operation:
        module, _, function = name.rpartition(".")
        return Operation(getattr(_import(module), function), build_arguments(make))

    return build


def _chunk_state(make: Inputs) -> list[Any]:
    batch, length, heads, width, state = _sizes(make)
    chunk = make.size(256, 32)
    steps = torch.rand(batch, heads, length // chunk, chunk, device=make.device)
    return [
        make.normal(batch, length, 1, state),
        make.normal(batch, length, heads, width),
        steps.requires_grad_(),
        (-torch.cumsum(steps.detach(), -1)).requires_grad_(),
    ]


def _state_passing(make: Inputs) -> list[Any]:
    batch, _, heads, width, state = _sizes(make)
    chunks = make.size(8, 2)
    return [
        make.normal(batch, chunks, heads, width * state, dtype=torch.float32),
        (-torch.rand(batch, heads, chunks, device=make.device)).requires_grad_(),
    ]


def _angles(make: Inputs) -> Operation:
    batch, length, heads, _, _ = _sizes(make)
    angles = make.normal(batch, length, heads, 32, grad=False, dtype=torch.float32)
    steps = torch.rand(batch, heads, length, device=make.device)
    forward = _import("mamba3.angle_dt").angle_dt_fwd

    def call(*tensors: Tensor) -> list[Tensor]:
        # Angles are reduced by 2π, so those near a multiple of it can differ by 2π.
        total = forward(*tensors)
        return [torch.sin(total), torch.cos(total)]

    return Operation(call, [angles, steps])


WORKLOADS: dict[str, Build] = {
    "mamba chunk_scan_combined": _ssd(gated=False),
    "mamba chunk_scan_combined_gated": _ssd(gated=True),
    "mamba chunk_state": _chunk("ssd_chunk_state.chunk_state", _chunk_state),
    "mamba state_passing": _chunk("ssd_state_passing.state_passing", _state_passing),
    "mamba selective_state_update": _state_update,
    "mamba layer_norm": _norm("layer_norm", "layer_norm_fn", bias=True),
    "mamba rms_norm": _norm("layer_norm", "rms_norm_fn", bias=False),
    "mamba rms_norm_gated": _norm("layernorm_gated", "rmsnorm_fn", bias=False, gated=True),
    "mamba layer_norm_gated": _norm("layernorm_gated", "layernorm_fn", bias=True, gated=True),
    "mamba swiglu": _swiglu,
    "mamba angle_dt": _angles,
}
"""The operations by name."""

OMITTED = {
    "mamba mamba_split_conv1d_scan_combined": "calls the compiled extension causal-conv1d",
    "mamba selective_scan": "a compiled extension",
    "mamba mamba3_mimo": "written in TileLang and CuTe",
}
"""The operations that are not run, with the reason."""
