"""Operations of xformers that are written in Triton."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import torch

from benchmarks.real_package_workloads.inputs import Build, Inputs, Operation, Tensor

__all__ = ["OMITTED", "WORKLOADS"]


def _function(name: str) -> Any:
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"xformers.ops.{module}"), function)


def _rms_norm(make: Inputs) -> Operation:
    rows, width = make.size(4096, 8), make.size(4096, 64)
    args = [make.normal(rows, width, grad=False), make.normal(width, grad=False)]
    return Operation(_function("_triton.rmsnorm_kernels._rms_norm_forward"), [*args, 1e-6])


def _rms_norm_add(make: Inputs) -> Operation:
    rows, width = make.size(4096, 8), make.size(4096, 64)
    args = [make.normal(rows, width, grad=False) for _ in range(2)]
    args.append(make.normal(width, grad=False))
    return Operation(_function("_triton.rmsnorm_kernels._rms_norm_add_forward"), [*args, 1e-6])


def _index_add(make: Inputs) -> Operation:
    batch, length, width = make.size(64, 8), make.size(256, 4), make.size(1024, 64)
    index = torch.randperm(batch, device=make.device)[: batch // 2]
    args = [make.normal(batch, length, width), index, make.normal(batch // 2, length, width)]
    add = _function("indexing.scaled_index_add")

    def call(target: Tensor, index: Tensor, source: Tensor, scaling: Tensor) -> Tensor:
        return add(target.clone(), index, source, scaling, 0.5)

    return Operation(call, [*args, make.normal(width)])


def _index_select_cat(make: Inputs) -> Operation:
    rows, widths = make.size(1024, 16), (make.size(2048, 32), make.size(1024, 64))
    select = _function("indexing.index_select_cat")
    sources = [make.normal(rows, width) for width in widths]
    indices = [torch.randperm(rows, device=make.device)[: rows // 2] for _ in widths]

    def call(*tensors: Tensor) -> Tensor:
        return select(list(tensors[:2]), list(tensors[2:]))

    return Operation(call, [*sources, *indices])


def _tiled_matmul(make: Inputs) -> Operation:
    size = make.size(1024, 32)
    multiply = _function("tiled_matmul.tiled_matmul")

    def call(*tensors: Tensor) -> list[Tensor]:
        left, right = [list(tensors[:2]), list(tensors[2:4])], [[tensors[4]], [tensors[5]]]
        return [tile for row in multiply(left, right) for tile in row]

    return Operation(call, [make.normal(size, size) for _ in range(6)])


WORKLOADS: dict[str, Build] = {
    "xformers rms_norm": _rms_norm,
    "xformers rms_norm_add": _rms_norm_add,
    "xformers scaled_index_add": _index_add,
    "xformers index_select_cat": _index_select_cat,
    "xformers tiled_matmul": _tiled_matmul,
}
"""The operations by name."""

OMITTED = {
    "xformers memory_efficient_attention": "compiled extensions; triton_splitk imports mslk",
    "xformers rope_padded": "imports mslk, a compiled extension",
    "xformers swiglu": "a compiled extension",
}
"""The operations that are not run, with the reason."""
