"""Operations of bitsandbytes' Triton back end: 4-bit and 8-bit quantization, 8-bit optimizers."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

import torch

from benchmarks.real_package_workloads.inputs import Build, Inputs, Operation, Tensor
from benchmarks.real_package_workloads.partial_imports import import_without_init

__all__ = ["OMITTED", "WORKLOADS"]

BLOCK = 256


def _import(name: str) -> ModuleType:
    """Import a module of Triton kernels; the package's own `__init__` loads compiled code."""
    import_without_init("bitsandbytes")
    import_without_init("bitsandbytes.backends")
    return import_module(f"bitsandbytes.backends.triton.{name}")


def _code(make: Inputs) -> Tensor:
    """Create the values of the 8-bit codes."""
    return torch.linspace(-1, 1, 256, device=make.device)


def _bytes(make: Inputs, *shape: int) -> Tensor:
    return torch.randint(0, 256, shape, dtype=torch.uint8, device=make.device)


def _size(make: Inputs) -> int:
    return make.size(1 << 24, 1 << 11)


def _quantize_8bit(make: Inputs) -> Operation:
    args = [make.normal(_size(make), grad=False, dtype=torch.float32), _code(make), BLOCK]
    return Operation(_import("ops").quantize_blockwise, args)


def _dequantize_8bit(make: Inputs) -> Operation:
    size = _size(make)
    scales = torch.rand(size // BLOCK, device=make.device)
    args = [_bytes(make, size), scales, _code(make), BLOCK, make.dtype]
    return Operation(_import("ops").dequantize_blockwise, args)


def _quantize_4bit(kind: str) -> Build:
    def build(make: Inputs) -> Operation:
        args = [make.normal(_size(make), grad=False), 64, kind, torch.uint8]
        return Operation(_import("ops").quantize_4bit, args)

    return build


def _dequantize_4bit(kind: str) -> Build:
    def build(make: Inputs) -> Operation:
        rows, width = make.size(4096, 16), make.size(4096, 128)
        scales = torch.rand(rows * width // 64, device=make.device)
        packed = _bytes(make, rows * width // 2, 1)
        args = [packed, scales, 64, kind, (rows, width), make.dtype]
        return Operation(_import("ops").dequantize_4bit, args)

    return build


def _optimizer_32bit(name: str, *, has_two_states: bool) -> Build:
    def build(make: Inputs) -> Operation:
        size = _size(make)
        gradient, parameter = (make.normal(size, grad=False) for _ in range(2))
        states = [torch.rand(size, device=make.device) for _ in range(2 if has_two_states else 1)]
        states += [None] * (2 - len(states))
        update = _import("ops").optimizer_update_32bit

        def step(*tensors: Tensor) -> list[Tensor]:
            gradient, parameter, *states = tensors
            numbers = (None, 0.0, 0.0, 0.9, 0.99, 0.0, 0.0, 1e-8, 0.01, 1, 1e-3, 1.0)
            second = states[1] if has_two_states else None
            update(name, gradient, parameter, states[0], second, *numbers)
            return [parameter, *states[: 2 if has_two_states else 1]]

        return Operation(step, [gradient, parameter, *states])

    return build


def _optimizer_8bit(name: str, *, has_two_states: bool) -> Build:
    def build(make: Inputs) -> Operation:
        size, count = _size(make), 2 if has_two_states else 1
        gradient, parameter = (make.normal(size, grad=False) for _ in range(2))
        states = [_bytes(make, size) for _ in range(count)]
        scales = [torch.rand(size // BLOCK, device=make.device) for _ in range(count)]
        update = _import("ops").optimizer_update_8bit_blockwise

        def step(gradient: Tensor, parameter: Tensor, code: Tensor, *more: Tensor) -> list[Tensor]:
            states, scales = list(more[:count]), list(more[count:])
            empty = [None] * (2 - count)
            first, second = [*states, *empty]
            codes = (code, code if count == 2 else None)
            numbers = (0.9, 0.99, 0.0, 0.0, 1e-8, 1, 1e-3)
            update(
                name, gradient, parameter, first, second, *numbers, *codes, *scales, *empty,
                0.01, 1.0, False,
            )  # fmt: skip
            return [parameter, *states, *scales]

        return Operation(step, [gradient, parameter, _code(make), *states, *scales])

    return build


WORKLOADS: dict[str, Build] = {
    "bitsandbytes quantize_blockwise": _quantize_8bit,
    "bitsandbytes dequantize_blockwise": _dequantize_8bit,
    "bitsandbytes quantize_nf4": _quantize_4bit("nf4"),
    "bitsandbytes quantize_fp4": _quantize_4bit("fp4"),
    "bitsandbytes dequantize_nf4": _dequantize_4bit("nf4"),
    "bitsandbytes dequantize_fp4": _dequantize_4bit("fp4"),
    "bitsandbytes adam_32bit": _optimizer_32bit("adam", has_two_states=True),
    "bitsandbytes momentum_32bit": _optimizer_32bit("momentum", has_two_states=False),
    "bitsandbytes lion_32bit": _optimizer_32bit("lion", has_two_states=False),
    "bitsandbytes adam_8bit": _optimizer_8bit("adam", has_two_states=True),
    "bitsandbytes momentum_8bit": _optimizer_8bit("momentum", has_two_states=False),
}
"""The operations by name."""

OMITTED = {
    "bitsandbytes gemv_4bit": "dequantizes with a kernel above, then multiplies with PyTorch",
    "bitsandbytes cuda": "a compiled extension",
}
"""The operations that are not run, with the reason."""
