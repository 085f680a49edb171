"""Operations of gemlite: products with quantized weights, and the quantization of activations."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import torch

from benchmarks.real_package_workloads.inputs import Build, Inputs, Operation

__all__ = ["OMITTED", "WORKLOADS"]

KERNELS = ("GEMM", "GEMM_SPLITK", "GEMV", "GEMV_SPLITK", "GEMV_REVSPLITK")


def _core() -> Any:
    core = import_module("gemlite.core")
    import_module("gemlite").set_autotune(False)  # the package's own configurations
    return core


def _multiply(layer: Any, make: Inputs, kernel: str) -> Operation:
    """Multiply activations with a layer's weights, in a chosen kernel."""
    rows = make.size(1, 1) if kernel.startswith("GEMV") else make.size(64, 16)
    activations = make.normal(rows, layer.in_features, grad=False, dtype=torch.float16)
    return Operation(lambda x: layer.forward_manual(x, kernel), [activations])


def _sizes(make: Inputs) -> tuple[int, int]:
    return make.size(4096, 128), make.size(4096, 256)


def _packed(bits: int, kernel: str) -> Build:
    """16-bit activations, and weights in groups of 64 that share a scale and a zero point."""

    def build(make: Inputs) -> Operation:
        rows, width = _sizes(make)
        core = _core()
        groups = rows * width // 64
        weights = torch.randint(0, 1 << bits, (rows, width), device=make.device).to(torch.uint8)
        scales = torch.rand(groups, 1, device=make.device).half() / 100
        zeros = torch.full((groups, 1), float(1 << bits) / 2, device=make.device).half()
        kind = core.TORCH_TO_DTYPE[torch.float16]
        layer = core.GemLiteLinearTriton(
            bits,
            group_size=64,
            in_features=width,
            out_features=rows,
            input_dtype=kind,
            output_dtype=kind,
        )
        layer.pack(weights, scales, zeros, None)
        return _multiply(layer, make, kernel)

    return build


def _dynamic(name: str, kernel: str) -> Build:
    """8-bit activations, quantized per row."""

    def build(make: Inputs) -> Operation:
        rows, width = _sizes(make)
        _core()
        weights = torch.randn(rows, width, device=make.device).half()
        helper = getattr(import_module("gemlite.helper"), name)
        layer = helper(device=make.device, dtype=torch.float16).from_weights(weights)
        return _multiply(layer, make, kernel)

    return build


def _quantize(name: str, *more: Any) -> Build:
    def build(make: Inputs) -> Operation:
        function = getattr(import_module("gemlite.quant_utils"), name)
        rows, width = make.size(4096, 8), make.size(4096, 256)
        return Operation(
            function, [make.normal(rows, width, grad=False, dtype=torch.float16), *more]
        )

    return build


WORKLOADS: dict[str, Build] = {
    **{f"gemlite {bits}_bit_{kernel.lower()}": _packed(bits, kernel)
       for bits in (8, 4, 2) for kernel in KERNELS},
    **{f"gemlite int8_{kernel.lower()}": _dynamic("A8W8_int8_dynamic", kernel)
       for kernel in ("GEMM", "GEMM_SPLITK", "GEMV")},
    **{f"gemlite fp8_{kernel.lower()}": _dynamic("A8W8_fp8_dynamic", kernel)
       for kernel in ("GEMM", "GEMM_SPLITK")},
    "gemlite quantize_int8": _quantize("scale_activations_per_token_triton", torch.int8),
    "gemlite quantize_fp8": _quantize("scale_activations_per_token_triton", torch.float8_e4m3fn),
    "gemlite quantize_mxfp8_1": _quantize("scale_activations_mxfp8_triton_v1"),
    "gemlite quantize_mxfp8_2": _quantize("scale_activations_mxfp8_triton_v2"),
    "gemlite quantize_mxfp4_1": _quantize("scale_activations_mxfp4_triton_v1"),
    "gemlite quantize_mxfp4_2": _quantize("scale_activations_mxfp4_triton_v2"),
    "gemlite quantize_nvfp4": _quantize("scale_activations_nvfp4_triton_v2"),
}  # fmt: skip
"""The operations by name."""

OMITTED = {"gemlite mxfp": "weights in MXFP formats need dot_scaled, which is Blackwell's"}
"""The operations that are not run, with the reason."""
