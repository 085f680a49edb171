"""Operations of Liger-Kernel."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import torch
import torch.nn.functional as nn

from benchmarks.real_package_workloads.inputs import Build, Inputs, Operation

__all__ = ["OMITTED", "WORKLOADS"]


def _liger(module: str, name: str) -> Callable[..., Any]:
    return getattr(import_module(f"liger_kernel.ops.{module}"), name).apply


def _rows(make: Inputs) -> tuple[int, int]:
    return make.size(4096, 8), make.size(4096, 64)


def _norm(module: str, name: str, *more: Any, bias: bool = False) -> Build:
    def build(make: Inputs) -> Operation:
        rows, width = _rows(make)
        weights = [make.normal(width) for _ in range(2 if bias else 1)]
        return Operation(_liger(module, name), [make.normal(rows, width), *weights, *more])

    return build


def _gated(module: str, name: str) -> Build:
    def build(make: Inputs) -> Operation:
        rows, width = make.size(4096, 8), make.size(11008, 64)
        return Operation(_liger(module, name), [make.normal(rows, width), make.normal(rows, width)])

    return build


def _row_wise(module: str, name: str, *more: Any) -> Build:
    def build(make: Inputs) -> Operation:
        return Operation(_liger(module, name), [make.normal(*_rows(make)), *more])

    return build


def _add_norm(make: Inputs) -> Operation:
    rows, width = _rows(make)
    args = [make.normal(rows, width), make.normal(rows, width), make.normal(width), 1e-6]
    return Operation(_liger("fused_add_rms_norm", "LigerFusedAddRMSNormFunction"), args)


def _dyt(make: Inputs) -> Operation:
    rows, width = _rows(make)
    args = [make.normal(rows, width), make.normal(1), make.normal(width), make.normal(width)]
    return Operation(_liger("dyt", "LigerDyTFunction"), args)


def _group_norm(make: Inputs) -> Operation:
    batch, channels, size = make.size(32, 2), 32, make.size(4096, 32)
    args = [make.normal(batch, channels, size), make.normal(channels), make.normal(channels)]
    function = _liger("group_norm", "LigerGroupNormFunction")
    return Operation(function, [*args, channels, 8, 1e-6])


def _cross_entropy(make: Inputs) -> Operation:
    rows, classes = make.size(4096, 8), make.size(32000, 128)
    args = [make.normal(rows, classes), make.below(classes, rows), None]
    return Operation(_liger("cross_entropy", "LigerCrossEntropyFunction"), args)


def _linear_cross_entropy(make: Inputs) -> Operation:
    rows, width, classes = make.size(4096, 8), make.size(2048, 32), make.size(32000, 128)
    args = [make.normal(rows, width), make.normal(classes, width), make.below(classes, rows)]
    function = _liger("fused_linear_cross_entropy", "LigerFusedLinearCrossEntropyFunction")
    return Operation(function, args)


def _divergence(module: str, name: str) -> Build:
    def build(make: Inputs) -> Operation:
        rows, classes = make.size(2048, 8), make.size(32000, 128)
        logits = make.normal(rows, classes, grad=False, dtype=torch.float32)
        others = make.normal(rows, classes, grad=False, dtype=torch.float32)
        is_plain = module == "tvd"
        left, right = (
            nn.softmax(each, -1) if is_plain else nn.log_softmax(each, -1)
            for each in (logits, others)
        )
        if module == "kl_div":
            right = right.exp()
        return Operation(_liger(module, name), [left.requires_grad_(), right])

    return build


def _rope(make: Inputs) -> Operation:
    batch, heads, length, width = make.size(4, 1), make.size(32, 2), make.size(2048, 8), 64
    angles = torch.randn(1, length, width, device=make.device)
    args = [make.normal(batch, heads, length, width), make.normal(batch, heads, length, width)]
    return Operation(_liger("rope", "LigerRopeFunction"), [*args, angles.cos(), angles.sin()])


WORKLOADS: dict[str, Build] = {
    "liger rms_norm": _norm("rms_norm", "LigerRMSNormFunction", 1e-6),
    "liger layer_norm": _norm("layer_norm", "LigerLayerNormFunction", 1e-6, bias=True),
    "liger group_norm": _group_norm,
    "liger fused_add_rms_norm": _add_norm,
    "liger dyt": _dyt,
    "liger swiglu": _gated("swiglu", "LigerSiLUMulFunction"),
    "liger geglu": _gated("geglu", "LigerGELUMulFunction"),
    "liger relu_squared": _row_wise("relu_squared", "LigerReLUSquaredFunction"),
    "liger softmax": _row_wise("softmax", "LigerSoftmaxFunction"),
    "liger sparsemax": _row_wise("sparsemax", "LigerSparsemaxFunction", -1),
    "liger rope": _rope,
    "liger cross_entropy": _cross_entropy,
    "liger fused_linear_cross_entropy": _linear_cross_entropy,
    "liger jsd": _divergence("jsd", "LigerJSDFunction"),
    "liger kl_div": _divergence("kl_div", "LigerKLDivLossFunction"),
    "liger tvd": _divergence("tvd", "LigerTVDLossFunction"),
}
"""The operations by name."""

OMITTED: dict[str, str] = {}
"""The operations that are not run, with the reason."""
