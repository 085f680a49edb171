"""Operations of FlagGems: PyTorch's, written in Triton, called as functions.

A function of this module creates the arguments of several operations, whose names follow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import torch

from benchmarks.real_package_workloads.inputs import Build, Inputs, Operation, Tensor

__all__ = ["OMITTED", "WORKLOADS"]

Arguments = Callable[[Inputs], list[Any]]


@dataclass(frozen=True, slots=True)
class _Call:
    """A call of an operation.

    Attributes:
        name: The operation: "add", or "fused.outer" for one that PyTorch lacks.
        arguments: Creates its arguments.
    """

    name: str
    arguments: Arguments

    def __call__(self, make: Inputs) -> Operation:
        folder, _, name = self.name.rpartition(".")
        function = getattr(import_module(f"flag_gems.{folder or 'ops'}"), name)
        return Operation(function, self.arguments(make), has_backward=False)


def _matrix(make: Inputs, dtype: torch.dtype | None = None) -> Tensor:
    return make.normal(make.size(4096, 16), make.size(4096, 96), grad=False, dtype=dtype)


def _square(make: Inputs) -> Tensor:
    return make.normal(make.size(4096, 48), make.size(4096, 48), grad=False)


def _positive(make: Inputs) -> Tensor:
    return _matrix(make).abs() + 0.5


def _integers(make: Inputs) -> Tensor:
    return make.below(100, make.size(4096, 16), make.size(4096, 96)).int()


def _image(make: Inputs) -> Tensor:
    size = make.size(128, 12)
    return make.normal(make.size(16, 2), make.size(64, 4), size, size, grad=False)


def _vector(make: Inputs, *, small: int = 96) -> Tensor:
    return make.normal(make.size(4096, small), grad=False)


def _attention(make: Inputs) -> list[Any]:
    shape = (make.size(4, 1), make.size(16, 2), make.size(1024, 64), 128)
    return [make.normal(*shape, grad=False, dtype=torch.float16) for _ in range(3)]


def _index(make: Inputs, rows: int = 4096, small: int = 16) -> Tensor:
    return make.below(make.size(rows, small), make.size(1024, 8))


def _convolution(dimensions: int) -> Arguments:
    def create(make: Inputs) -> list[Any]:
        sizes = [make.size(32 if dimensions < 3 else 8, 7)] * dimensions
        image = make.normal(make.size(8, 1), make.size(64, 4), *sizes, grad=False)
        kernel = make.normal(make.size(64, 8), make.size(64, 4), *[3] * dimensions, grad=False)
        return [image, kernel, None, 1, 1]

    return create


def _norm_backward(make: Inputs) -> list[Any]:
    rows, gradients = _matrix(make), _matrix(make)
    mean = rows.float().mean(1, keepdim=True)
    inverse = torch.rsqrt(rows.float().var(1, keepdim=True, unbiased=False) + 1e-5)
    weights, bias = _vector(make), _vector(make)
    mask = [True, True, True]
    return [gradients, rows, [rows.shape[1]], mean, inverse, weights, bias, mask]


def _group_norm(make: Inputs) -> list[Any]:
    image = _image(make)
    batch, channels, height, width = image.shape
    weights = [make.normal(channels, grad=False) for _ in range(2)]
    return [image, *weights, batch, channels, height * width, 4]


def _batch_norm(make: Inputs) -> list[Any]:
    image = _image(make)
    channels = image.shape[1]
    weights = [make.normal(channels, grad=False) for _ in range(2)]
    running = [torch.zeros(channels, device=make.device), torch.ones(channels, device=make.device)]
    return [image, *weights, *running, True]


def _rotary(make: Inputs) -> list[Any]:
    batch, length, heads, width = make.size(4, 1), make.size(1024, 8), make.size(16, 2), 64
    tokens = [make.normal(batch, length, heads, width, grad=False) for _ in range(2)]
    angles = torch.rand(2 * length, width // 2, device=make.device)
    return [*tokens, angles.cos(), angles.sin(), make.below(2 * length, batch, length)]


def _cache(make: Inputs) -> list[Any]:
    tokens, heads, width, blocks, size = make.size(1024, 8), make.size(8, 2), 64, 64, 16
    rows = [make.normal(tokens, heads, width, grad=False) for _ in range(2)]
    caches = [make.normal(blocks, size, heads, width, grad=False) for _ in range(2)]
    slots = torch.randperm(blocks * size, device=make.device)[:tokens]
    one = torch.ones(1, device=make.device)
    return [*rows, *caches, slots, "auto", one, one]


def _experts(make: Inputs) -> list[Any]:
    tokens, experts, chosen = make.size(4096, 16), make.size(64, 8), 2
    outputs = [torch.empty(tokens, chosen, device=make.device)]
    outputs += [torch.empty(tokens, chosen, dtype=torch.int32, device=make.device) for _ in "id"]
    return [*outputs, torch.randn(tokens, experts, device=make.device)]


UNARY = (
    "abs atan celu cos elu erf exp exp2 gelu isfinite isinf isnan log_sigmoid logical_not"
    " nan_to_num neg relu sigmoid silu sin softplus tanh resolve_neg angle"
)
POSITIVE = "log reciprocal rsqrt sqrt"
BINARY = (
    "add sub mul true_divide maximum minimum eq ne gt ge lt le logical_and logical_or logical_xor"
    " remainder isclose allclose"
)
REDUCTIONS = "all any amax argmax argmin max mean min prod sum count_nonzero vector_norm std"
SEVERAL = "amax mean_dim sum_dim var_mean std"
ROWS = "all_dim any_dim argmax argmin max_dim min_dim prod_dim"
ROWS += " cumsum normed_cumsum cummax cummin log_softmax softmax sort count_nonzero"
CREATORS = "ones_like zeros_like rand_like randn_like"

_CALLS: dict[str, Arguments] = {
    **dict.fromkeys(UNARY.split(), lambda make: [_matrix(make)]),
    **dict.fromkeys(POSITIVE.split(), lambda make: [_positive(make)]),
    **dict.fromkeys(BINARY.split(), lambda make: [_matrix(make), _matrix(make)]),
    **dict.fromkeys(REDUCTIONS.split(), lambda make: [_matrix(make)]),
    **{f"{name} of rows": lambda make: [_matrix(make), 1] for name in ROWS.split()},
    **{f"{name} of rows": lambda make: [_matrix(make), [1]] for name in SEVERAL.split()},
    **dict.fromkeys(
        ["bitwise_and_tensor", "bitwise_or_tensor"],
        lambda make: [_integers(make), _integers(make)],
    ),
    "bitwise_not": lambda make: [_integers(make)],
    "floor_divide": lambda make: [_integers(make), _integers(make) + 1],
    "div_mode": lambda make: [_matrix(make), _positive(make), "floor"],
    "pow_tensor_tensor": lambda make: [_positive(make), _matrix(make)],
    "pow_tensor_scalar": lambda make: [_positive(make), 1.5],
    "polar": lambda make: [_matrix(make, torch.float32), _matrix(make, torch.float32)],
    "addcmul": lambda make: [_matrix(make) for _ in range(3)],
    "addcdiv": lambda make: [_matrix(make), _matrix(make), _positive(make)],
    "clamp": lambda make: [_matrix(make), -0.5, 0.5],
    "threshold": lambda make: [_matrix(make), 0.1, 2.0],
    "lerp_scalar": lambda make: [_matrix(make), _matrix(make), 0.3],
    "lerp_tensor": lambda make: [_matrix(make) for _ in range(3)],
    "where_self": lambda make: [_matrix(make) > 0, _matrix(make), _matrix(make)],
    "masked_fill": lambda make: [_matrix(make), _matrix(make) > 0, 1.5],
    "masked_select": lambda make: [_matrix(make), _matrix(make) > 0],
    "gelu_backward": lambda make: [_matrix(make), _matrix(make)],
    "silu_backward": lambda make: [_matrix(make), _matrix(make)],
    "sigmoid_backward": lambda make: [_matrix(make), _matrix(make)],
    "tanh_backward": lambda make: [_matrix(make), _matrix(make)],
    "threshold_backward": lambda make: [_matrix(make), _matrix(make), 0.0],
    "glu": lambda make: [_matrix(make)],
    "softmax_backward": lambda make: [_matrix(make), _matrix(make).softmax(1), 1, make.dtype],
    "log_softmax_backward": lambda make: [
        _matrix(make), _matrix(make).log_softmax(1), 1, make.dtype
    ],
    "dot": lambda make: [_vector(make), _vector(make)],
    "vdot": lambda make: [_vector(make), _vector(make)],
    "mv": lambda make: [_square(make), _vector(make, small=48)],
    "mm": lambda make: [_square(make), _square(make)],
    "addmm": lambda make: [_vector(make, small=48), _square(make), _square(make)],
    "addmv": lambda make: [_vector(make, small=48), _square(make), _vector(make, small=48)],
    "addr": lambda make: [_square(make), _vector(make, small=48), _vector(make, small=48)],
    "bmm": lambda make: [
        make.normal(make.size(8, 2), *[make.size(1024, 32)] * 2, grad=False) for _ in range(2)
    ],
    "kron": lambda make: [make.normal(make.size(64, 4), 8, grad=False) for _ in range(2)],
    "conv1d": _convolution(1),
    "conv2d": _convolution(2),
    "conv3d": _convolution(3),
    "max_pool2d_with_indices": lambda make: [_image(make), 2],
    "avg_pool2d": lambda make: [_image(make), 2],
    "upsample_nearest2d": lambda make: [_image(make), [make.size(256, 24)] * 2],
    "_upsample_bicubic2d_aa": lambda make: [_image(make), [make.size(256, 24)] * 2],
    "batch_norm": _batch_norm,
    "group_norm": _group_norm,
    "layer_norm": lambda make: [
        _matrix(make), [make.size(4096, 96)], _vector(make), _vector(make)
    ],
    "layer_norm_backward": _norm_backward,
    "rms_norm": lambda make: [_matrix(make), [make.size(4096, 96)], _vector(make)],
    "weight_norm_interface": lambda make: [
        _matrix(make), make.normal(make.size(4096, 16), 1, grad=False)
    ],
    "embedding": lambda make: [_matrix(make), _index(make)],
    "embedding_backward": lambda make: [
        make.normal(make.size(1024, 8), make.size(4096, 96), grad=False),
        _index(make), make.size(4096, 16),
    ],
    "index_select": lambda make: [_matrix(make), 0, _index(make)],
    "index_add": lambda make: [
        _matrix(make), 0, torch.randperm(make.size(1024, 8), device=make.device),
        make.normal(make.size(1024, 8), make.size(4096, 96), grad=False),
    ],
    "index": lambda make: [_matrix(make), [_index(make)]],
    "index_put": lambda make: [
        _matrix(make), [torch.randperm(make.size(1024, 8), device=make.device)],
        make.normal(make.size(1024, 8), make.size(4096, 96), grad=False),
    ],
    "gather": lambda make: [
        _matrix(make), 1, make.below(make.size(4096, 96), make.size(4096, 16), 8)
    ],
    "scatter": lambda make: [
        _matrix(make), 0,
        torch.arange(make.size(1024, 8), device=make.device)[:, None].repeat(1, 8),
        make.normal(make.size(1024, 8), 8, grad=False),
    ],
    "select_scatter": lambda make: [_matrix(make), _vector(make), 0, 1],
    "slice_scatter": lambda make: [
        _matrix(make), make.normal(4, make.size(4096, 96), grad=False), 0, 0, 8, 2
    ],
    "isin": lambda make: [_integers(make), torch.arange(0, 50, device=make.device).int()],
    "nonzero": lambda make: [_integers(make) > 50],
    "_unique2": lambda make: [_integers(make), True, True, True],
    "topk": lambda make: [_matrix(make), 8],
    "cat": lambda make: [[_matrix(make), _matrix(make)], 1],
    "stack": lambda make: [[_matrix(make), _matrix(make)]],
    "hstack": lambda make: [[_matrix(make), _matrix(make)]],
    "vstack": lambda make: [[_matrix(make), _matrix(make)]],
    "flip": lambda make: [_matrix(make), [0, 1]],
    "tile": lambda make: [_matrix(make), [2, 2]],
    "repeat": lambda make: [_matrix(make), [2, 2]],
    "repeat_interleave_self_int": lambda make: [_matrix(make), 2],
    "pad": lambda make: [_matrix(make), [1, 2, 3, 4]],
    "diag": lambda make: [_vector(make)],
    "diag_embed": lambda make: [_matrix(make)],
    "trace": lambda make: [_square(make)],
    "triu": lambda make: [_square(make)],
    "contiguous": lambda make: [_matrix(make).t()],
    "mse_loss": lambda make: [_matrix(make), _matrix(make)],
    "nll_loss_forward": lambda make: [
        _matrix(make).log_softmax(1), make.below(make.size(4096, 96), make.size(4096, 16))
    ],
    "quantile": lambda make: [_matrix(make, torch.float32), 0.3, 1],
    "full_like": lambda make: [_matrix(make), 3.0],
    **{name: lambda make: [_matrix(make)] for name in CREATORS.split()},
    "scaled_dot_product_attention": _attention,
    "fused.apply_rotary_pos_emb": _rotary,
    "fused.cross_entropy_loss": lambda make: [
        _matrix(make), make.below(make.size(4096, 96), make.size(4096, 16))
    ],
    "fused.fused_add_rms_norm": lambda make: [
        _matrix(make), _matrix(make), [make.size(4096, 96)], _vector(make)
    ],
    "fused.skip_layer_norm": lambda make: [
        _matrix(make), _matrix(make), [make.size(4096, 96)], _vector(make), _vector(make)
    ],
    "fused.gelu_and_mul": lambda make: [_matrix(make), _matrix(make)],
    "fused.silu_and_mul": lambda make: [_matrix(make), _matrix(make)],
    "fused.instance_norm": lambda make: [_image(make)],
    "fused.outer": lambda make: [_vector(make), _vector(make)],
    "fused.weight_norm": lambda make: [
        _matrix(make), make.normal(make.size(4096, 16), 1, grad=False)
    ],
    "fused.reshape_and_cache_flash": _cache,
    "fused.topk_softmax": _experts,
}  # fmt: skip

WORKLOADS: dict[str, Build] = {
    f"flaggems {label.rpartition('.')[2]}": _Call(label.partition(" ")[0], arguments)
    for label, arguments in _CALLS.items()
}
"""The operations by name."""

OMITTED = {
    "flaggems bitwise_left_shift": "fails without `out`, and so does bitwise_right_shift",
    "flaggems in place": "the same kernels as those that return new tensors",
    "flaggems flash_attention_forward": "the kernels of scaled_dot_product_attention's kind",
    "flaggems flash_mla": "needs a paged cache of 576 values per token: for a test of inference",
    "flaggems random": "multinomial, randperm, exponential, uniform: the generator's state differs",
}
"""The operations that are not run, with the reason."""
