"""Operations of unsloth.

The package's `__init__` needs unsloth_zoo and patches transformers. The kernels need a few names
of them, which are provided where they cannot be imported.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

import torch

from benchmarks.real_package_workloads.inputs import Build, Inputs, Operation
from benchmarks.real_package_workloads.partial_imports import import_without_init, provide

__all__ = ["OMITTED", "WORKLOADS"]


def _import(name: str) -> ModuleType:
    vars(import_without_init("unsloth"))["DEVICE_TYPE"] = "cuda"
    import_without_init("unsloth.kernels")
    from packaging.version import Version

    provide("unsloth_zoo")
    provide("unsloth_zoo.utils", Version=Version)
    provide("unsloth_zoo.log", logger=logging.getLogger("unsloth"))
    provide("unsloth_zoo.temporary_patches")
    provide("unsloth_zoo.temporary_patches.common", torch_compile=torch.compile)
    names = ("patch_loss_functions", "post_patch_loss_function", "HAS_CUT_CROSS_ENTROPY")
    provide("unsloth_zoo.loss_utils", **dict.fromkeys(names))
    provide("unsloth_zoo.patching_utils", patch_layernorm=None)
    provide("transformers")
    provide("transformers.models")
    provide("transformers.models.llama")
    provide("transformers.models.llama.modeling_llama", LlamaRMSNorm=torch.nn.Module)
    provide("unsloth.bnb_availability", native_kernels_ready=lambda *_: False)
    provide(
        "unsloth.device_type",
        is_hip=lambda: torch.version.hip is not None,
        get_device_type=lambda: "cuda",
        DEVICE_TYPE="cuda",
        DEVICE_TYPE_TORCH="cuda",
        DEVICE_COUNT=1,
        ALLOW_PREQUANTIZED_MODELS=True,
    )
    provide("pandas")
    with _hidden("bitsandbytes"):
        return import_module(f"unsloth.kernels.{name}")


@contextmanager
def _hidden(name: str) -> Iterator[None]:
    """Let imports of a module fail: bitsandbytes is a folder without its compiled part."""
    modules: dict[str, Any] = sys.modules  # pyright: ignore[reportAssignmentType]
    module = modules.get(name)
    modules[name] = None
    try:
        yield
    finally:
        modules.pop(name)
        if module is not None:
            modules[name] = module


def _rms_norm(*, gemma: bool) -> Build:
    def build(make: Inputs) -> Operation:
        shape = (make.size(4, 1), make.size(1024, 8), make.size(4096, 64))
        # The kernel computes no gradient of the weights.
        args = [make.normal(*shape), make.normal(shape[2], grad=False), 1e-6, gemma]
        return Operation(_import("rms_layernorm").Fast_RMS_Layernorm.apply, args)

    return build


def _layer_norm(make: Inputs) -> Operation:
    shape = (make.size(4, 1), make.size(1024, 8), make.size(4096, 64))
    weights = [make.normal(shape[2], grad=False) for _ in range(2)]
    args = [make.normal(*shape), *weights, 1e-6]
    return Operation(_import("layernorm").Fast_Layernorm.apply, args)


def _rope(make: Inputs) -> Operation:
    batch, length, heads, width = make.size(4, 1), make.size(2048, 8), make.size(32, 2), 64
    angles = torch.rand(length, width // 2, device=make.device).repeat(1, 2)
    args = [make.normal(batch, length, heads, width), angles.cos(), angles.sin()]
    return Operation(_import("rope_embedding").Fast_RoPE_Embedding.apply, args)


def _rope_both(make: Inputs) -> Operation:
    batch, length, heads, width = make.size(4, 1), make.size(2048, 8), make.size(32, 2), 64
    angles = torch.rand(length, width // 2, device=make.device).repeat(1, 2)
    args = [make.normal(batch, heads, length, width) for _ in range(2)]
    function = _import("rope_embedding").Fast_RoPE_Embedding_QK.apply
    return Operation(function, [*args, angles.cos(), angles.sin(), None])


def _cross_entropy(full: int, small: int) -> Build:
    def build(make: Inputs) -> Operation:
        batch, length, classes = make.size(2, 1), make.size(1024, 8), make.size(full, small)
        logits = make.normal(batch, length, classes)
        labels = make.below(classes, batch, length)
        function = _import("cross_entropy_loss").fast_cross_entropy_loss
        return Operation(function, [logits, labels])

    return build


def _gated(module: str, name: str, tensors: int) -> Build:
    """A kernel of the gated activations; with three tensors it writes to each of them."""

    def build(make: Inputs) -> Operation:
        shape = (make.size(4096, 8), make.size(11008, 64))
        if tensors == 2:
            shape = (1, *shape)
        function = getattr(_import(module), name)
        return Operation(function, [make.normal(*shape, grad=False) for _ in range(tensors)])

    return build


def _quantize_fp8(make: Inputs) -> Operation:
    rows, width = make.size(4096, 8), make.size(4096, 256)
    return Operation(_import("fp8").act_quant, [make.normal(rows, width, grad=False)])


def _dequantize_fp8(make: Inputs) -> Operation:
    rows, width = make.size(4096, 128), make.size(4096, 256)
    weights = torch.randn(rows, width, device=make.device).to(torch.float8_e4m3fn)
    scales = torch.rand(rows // 128, width // 128, device=make.device)
    return Operation(_import("fp8").weight_dequant_block, [weights, scales])


def _multiply_fp8(make: Inputs) -> Operation:
    rows, columns, width = make.size(1024, 16), make.size(4096, 128), make.size(4096, 256)
    a = torch.randn(rows, width, device=make.device).to(torch.float8_e4m3fn)
    b = torch.randn(columns, width, device=make.device).to(torch.float8_e4m3fn)
    scales = [torch.rand(rows, width // 128, device=make.device)]
    scales.append(torch.rand(columns // 128, width // 128, device=make.device))
    args = [a, b, *scales, [128, 128]]
    return Operation(_import("fp8").w8a8_block_fp8_matmul_triton, args)


def _grouped_gemm(name: str) -> Build:
    def build(make: Inputs) -> Operation:
        interface = _import("moe.grouped_gemm.interface")
        experts, tokens = make.size(16, 2), make.size(4096, 64)
        rows, columns = make.size(2048, 64), make.size(1024, 32)
        sizes = torch.full((experts,), tokens // experts, dtype=torch.int32, device=make.device)
        weights = make.normal(experts, columns, rows, grad=False)
        inputs, gradients = (make.normal(tokens, each, grad=False) for each in (rows, columns))
        options: dict[str, Any] = {"topk": 1, "m_sizes": sizes, "gather_indices": None}
        tensors = {
            "grouped_gemm_forward": {"X": inputs, "W": weights},
            "grouped_gemm_dX": {"dY": gradients, "W": weights},
            "grouped_gemm_dW": {"X": inputs, "dY": gradients},
        }[name]
        return Operation(getattr(interface, name), [], tensors | options)

    return build


WORKLOADS: dict[str, Build] = {
    "unsloth rms_norm": _rms_norm(gemma=False),
    "unsloth rms_norm_gemma": _rms_norm(gemma=True),
    "unsloth layer_norm": _layer_norm,
    "unsloth rope": _rope,
    "unsloth rope_qk": _rope_both,
    "unsloth cross_entropy": _cross_entropy(32000, 128),
    "unsloth cross_entropy_chunked": _cross_entropy(131072, 65536 + 64),
    "unsloth swiglu": _gated("swiglu", "swiglu_fg_kernel", 2),
    "unsloth swiglu_backward": _gated("swiglu", "swiglu_DWf_DW_dfg_kernel", 3),
    "unsloth geglu_exact": _gated("geglu", "geglu_exact_forward_kernel", 2),
    "unsloth geglu_exact_backward": _gated("geglu", "geglu_exact_backward_kernel", 3),
    "unsloth geglu_approximate": _gated("geglu", "geglu_approx_forward_kernel", 2),
    "unsloth geglu_approximate_backward": _gated("geglu", "geglu_approx_backward_kernel", 3),
    "unsloth quantize_fp8": _quantize_fp8,
    "unsloth dequantize_fp8": _dequantize_fp8,
    "unsloth matmul_fp8": _multiply_fp8,
    "unsloth grouped_gemm_forward": _grouped_gemm("grouped_gemm_forward"),
    "unsloth grouped_gemm_dx": _grouped_gemm("grouped_gemm_dX"),
    "unsloth grouped_gemm_dw": _grouped_gemm("grouped_gemm_dW"),
}
"""The operations by name."""

OMITTED = {
    "unsloth fast_lora": "products of PyTorch around the kernels of swiglu and geglu",
    "unsloth flex_attention": "PyTorch's",
}
"""The operations that are not run, with the reason."""
