"""Operations of flash-linear-attention: every family of `fla.ops`.

Each row names the arguments of an operation and the kind of tensor that each gets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import torch
import torch.nn.functional as nn

from benchmarks.real_package_workloads.inputs import Build, Inputs, Operation, Tensor

__all__ = ["OMITTED", "WORKLOADS"]

Shape = tuple[int, int, int, int]
"""Batch, length, heads and width."""

HALF = torch.bfloat16


def _unit(make: Inputs, shape: tuple[int, ...]) -> Tensor:
    """Create vectors of length 1."""
    vectors = torch.randn(*shape, device=make.device)
    return nn.normalize(vectors, dim=-1).to(make.dtype).requires_grad_()


KINDS: dict[str, Callable[[Inputs, Shape], Tensor]] = {
    "vector": lambda make, shape: make.normal(*shape),
    "unit": _unit,
    "negative unit": lambda make, shape: (-_unit(make, shape).detach()).requires_grad_(),
    "narrow": lambda make, shape: make.normal(*shape[:3], 16),
    "gate": lambda make, shape: make.gate(*shape[:3]),
    "gates": lambda make, shape: make.gate(*shape),
    "half gates": lambda make, shape: make.gate(*shape, dtype=make.dtype),
    "share": lambda make, shape: make.share(*shape[:3]),
    "float share": lambda make, shape: make.share(*shape[:3], dtype=torch.float32),
    "shares": lambda make, shape: make.share(*shape),
    "bonus": lambda make, shape: make.normal(shape[2], shape[3]),
    "shared": lambda make, shape: make.normal(*shape[:2], 1, shape[3]),
    "shared unit": lambda make, shape: _unit(make, (*shape[:2], 1, shape[3])),
    "step": lambda make, shape: (make.share(*shape[:3], 1).detach() / 100).requires_grad_(),
    "levels": lambda make, shape: make.normal(*shape[:3], shape[1].bit_length()),
    "slots": lambda make, shape: make.normal(*shape[:3], 32),
    "slot gates": lambda make, shape: make.gate(*shape[:3], 32, dtype=make.dtype),
    "damping": lambda make, shape: (
        make.share(shape[2], shape[3]).detach() * 0.75 + 0.25
    ).requires_grad_(),
    "grouped": lambda make, shape: make.normal(shape[0], shape[1], 16 * shape[2], shape[3]),
}
"""The kinds of arguments by name."""

QKV = {"q": "vector", "k": "vector", "v": "vector"}
UNIT_KEYS = QKV | {"k": "unit"}
RKV = {"r": "vector", "k": "vector", "v": "vector"}


@dataclass(frozen=True, slots=True)
class _Attention:
    """An operation on sequences of vectors per head.

    Attributes:
        name: The operation in `fla.ops`.
        arguments: The kind of each tensor argument.
        options: Its other arguments.
        dtype: The element type; None for that of the run.
        has_backward: Whether it has a backward function.
        small_width: The width of a small run.
    """

    name: str
    arguments: dict[str, str]
    options: dict[str, Any] | None = None
    dtype: torch.dtype | None = None
    has_backward: bool = True
    small_width: int = 32

    def __call__(self, make: Inputs) -> Operation:
        module, _, function = self.name.rpartition(".")
        is_recurrent = "recurrent" in function
        length = make.size(512, 16) if is_recurrent else make.size(2048, 64)
        batch, heads, width = make.size(4, 1), make.size(8, 2), make.size(64, self.small_width)
        shape = (batch, length, heads, width)
        if self.dtype is not None:
            make = Inputs(make.device, make.full, self.dtype)
        tensors = {name: KINDS[kind](make, shape) for name, kind in self.arguments.items()}
        call = getattr(import_module(f"fla.ops.{module}"), function)
        return Operation(call, [], tensors | (self.options or {}), self.has_backward)


def _hgrn(name: str) -> Build:
    def build(make: Inputs) -> Operation:
        shape = (make.size(8, 1), make.size(2048, 32), make.size(2048, 32))
        args = [make.normal(*shape), make.gate(*shape, dtype=make.dtype)]
        return Operation(getattr(import_module("fla.ops.hgrn"), name), args)

    return build


def _rwkv4(make: Inputs) -> Operation:
    batch, length, width = make.size(8, 1), make.size(512, 16), make.size(1024, 32)
    decay = (-torch.rand(width, device=make.device)).requires_grad_()
    bonus = make.normal(width, dtype=torch.float32)
    key, value = (make.normal(batch, length, width, dtype=torch.float32) for _ in range(2))
    state = torch.zeros(batch, 3, 1, width, device=make.device)
    function = import_module("fla.ops.rwkv4").fused_recurrent_rwkv4
    # The backward kernel reads past the end of the saved states.
    return Operation(function, [decay, bonus, key, value, state], has_backward=False)


def _nsa(make: Inputs) -> Operation:
    batch, length, heads, width = make.size(2, 1), make.size(2048, 64), make.size(2, 1), 64
    block, selected = make.size(64, 16), make.size(16, 2)
    query = make.normal(batch, length, 16 * heads, width)
    key, value = (make.normal(batch, length, heads, width) for _ in range(2))
    past = torch.arange(length, device=make.device)[None, :, None, None] // block
    blocks = torch.arange(selected, device=make.device).expand(batch, length, heads, -1)
    options = {
        "block_indices": torch.minimum(blocks, past.expand_as(blocks)).contiguous(),
        "block_counts": torch.minimum(past[..., 0] + 1, torch.tensor(selected, device=make.device))
        .expand(batch, length, heads)
        .contiguous(),
        "block_size": block,
    }
    return Operation(import_module("fla.ops.nsa").parallel_nsa, [query, key, value], options)


def _compressed_nsa(make: Inputs) -> Operation:
    batch, length, heads, width = make.size(2, 1), make.size(2048, 64), make.size(2, 1), 64
    query = make.normal(batch, length, 16 * heads, width)
    key, value = (make.normal(batch, length, heads, width) for _ in range(2))
    gates = {name: make.share(*query.shape[:3]) for name in ("g_cmp", "g_slc")}
    options = {"block_counts": make.size(16, 2), "block_size": make.size(64, 16)}
    function = import_module("fla.ops.nsa").parallel_nsa
    return Operation(function, [query, key, value], gates | options)


def _attnres(make: Inputs) -> Operation:
    shape = (make.size(4, 1), make.size(2048, 16), make.size(2048, 64))
    residuals = torch.stack([make.normal(*shape, grad=False) for _ in range(4)])
    args = [make.normal(shape[2]), list(residuals), make.normal(shape[2])]
    return Operation(import_module("fla.ops.attnres").fused_attnres, args)


def _channel_mixing(make: Inputs) -> Operation:
    batch, length, width = make.size(4, 1), make.size(2048, 16), make.size(1024, 32)
    args = [
        make.normal(batch, length, width),
        make.normal(batch, width),
        make.normal(1, 1, width),
        make.normal(width, 4 * width),
        make.normal(4 * width, width),
    ]
    function = import_module("fla.ops.rwkv7.channel_mixing").channel_mixing_rwkv7
    return Operation(function, args, {"inplace": False})


def _addcmul(make: Inputs) -> Operation:
    shape = (make.size(4, 1), make.size(2048, 16), make.size(1024, 64))
    args = [make.normal(*shape), make.normal(*shape)]
    args += [make.normal(1, 1, shape[2]) for _ in range(6)]
    return Operation(import_module("fla.ops.rwkv7.fused_addcmul").fused_addcmul_rwkv7, args)


def _key_update(make: Inputs) -> Operation:
    shape = (make.size(4, 1), make.size(2048, 16), make.size(1024, 64))
    args = [make.normal(*shape), make.share(*shape), make.normal(1, 1, shape[2])]
    return Operation(import_module("fla.ops.rwkv7.fused_k_update").fused_k_rwkv7, args)


def _gate_correction(make: Inputs) -> Operation:
    batch, length, heads, width = make.size(4, 1), make.size(2048, 16), make.size(16, 2), 64
    flat, shape = (batch, length, heads * width), (batch, length, heads, width)
    args = [make.normal(*flat), make.normal(*shape), make.normal(*shape), make.normal(heads, width)]
    args += [make.normal(*shape), make.normal(*flat)]
    function = import_module("fla.ops.rwkv7.gate_output_correction").gate_output_correction
    return Operation(function, args)


GATED_DELTA = UNIT_KEYS | {"g": "gate", "beta": "share"}
KDA = UNIT_KEYS | {"g": "gates", "beta": "share"}
DPLR = QKV | {"a": "unit", "b": "negative unit", "gk": "gates"}
IPLR = QKV | {"a": "unit", "b": "negative unit"}
RWKV6 = RKV | {"w": "gates", "u": "bonus"}
RWKV7 = RKV | {"w": "gates", "a": "unit", "b": "negative unit"}
COMBA = UNIT_KEYS | {"p": "unit", "g": "gate", "beta": "share"}
PRECONDITIONED = {"g_atk": "gate", "beta_atk": "share"}
TTT = UNIT_KEYS | {"w": "bonus", "b": "bonus", "eta": "step"}
LAYERS = {"layer_idx": 1, "num_layers": 4}
UNNORMALIZED = {"normalize": False}

_ROWS: tuple[_Attention, ...] = (
    _Attention("abc.chunk_abc", QKV | {"s": "slots"}),
    _Attention("attn.parallel_attn", QKV),
    _Attention("based.fused_chunk_based", {"q": "narrow", "k": "narrow", "v": "vector"}),
    _Attention("based.parallel_based", {"q": "narrow", "k": "narrow", "v": "vector"}),
    _Attention("comba.chunk_comba", COMBA),
    _Attention("comba.fused_recurrent_comba", COMBA, has_backward=False),
    _Attention("delta_rule.chunk_delta_rule", UNIT_KEYS | {"beta": "share"}, dtype=HALF),
    _Attention("delta_rule.fused_recurrent_delta_rule", UNIT_KEYS | {"beta": "share"}),
    _Attention("forgetting_attn.parallel_forgetting_attn", QKV | {"g": "gate"}),
    _Attention("gated_delta_rule.chunk_gated_delta_rule", GATED_DELTA),
    _Attention(
        "gated_delta_rule.fused_recurrent_gated_delta_rule", GATED_DELTA, has_backward=False
    ),
    _Attention("gated_oja_rule.chunk_gated_oja_rule", UNIT_KEYS | {"gv": "gates", "beta": "share"}),
    _Attention(
        "gated_oja_rule.fused_recurrent_gated_oja_rule",
        UNIT_KEYS | {"gv": "gates", "beta": "share"},
        has_backward=False,
    ),
    _Attention("gdn2.chunk_gdn2", UNIT_KEYS | {"g": "gates", "b": "shares", "w": "shares"}),
    _Attention(
        "gdn2.fused_recurrent_gdn2", UNIT_KEYS | {"g": "gates", "b": "shares", "w": "shares"}
    ),
    _Attention("generalized_delta_rule.chunk_dplr_delta_rule", DPLR, {"chunk_size": 16}),
    _Attention("generalized_delta_rule.fused_recurrent_dplr_delta_rule", DPLR, has_backward=False),
    _Attention("generalized_delta_rule.chunk_iplr_delta_rule", IPLR, has_backward=False),
    _Attention("generalized_delta_rule.fused_recurrent_iplr_delta_rule", IPLR),
    _Attention("gla.chunk_gla", QKV | {"g": "gates"}),
    _Attention("gla.fused_recurrent_gla", QKV | {"gk": "gates"}),
    _Attention("gsa.chunk_gsa", QKV | {"s": "slots", "g": "slot gates"}),
    _Attention("gsa.fused_recurrent_gsa", QKV | {"s": "slots", "g": "slot gates"}),
    _Attention("kda.chunk_kda", KDA),
    _Attention("kda.fused_recurrent_kda", KDA),
    _Attention("lightning_attn.chunk_lightning_attn", QKV, LAYERS),
    _Attention("lightning_attn.fused_recurrent_lightning_attn", QKV, LAYERS),
    _Attention("linear_attn.chunk_linear_attn", QKV, UNNORMALIZED),
    _Attention("linear_attn.fused_chunk_linear_attn", QKV, UNNORMALIZED),
    _Attention("linear_attn.fused_recurrent_linear_attn", QKV, UNNORMALIZED),
    _Attention(
        "log_linear_attn.chunk_log_linear_attn",
        {"q": "shared", "k": "shared", "v": "vector", "g": "gate", "level_scales": "levels"},
        small_width=64,
    ),
    _Attention(
        "mesa_net.chunk_mesa_net", UNIT_KEYS | {"g": "gate", "beta": "share", "lamb": "damping"}
    ),
    _Attention("parallax.parallel_parallax", QKV | {"r": "vector"}, dtype=HALF),
    _Attention("path_attn.parallel_path_attn", QKV | {"w": "unit", "beta": "float share"}),
    _Attention(
        "precond_gated_delta_rule.chunk_precond_gated_delta_rule", GATED_DELTA | PRECONDITIONED
    ),
    _Attention(
        "precond_gated_delta_rule.fused_recurrent_precond_gated_delta_rule",
        GATED_DELTA | PRECONDITIONED,
        has_backward=False,
    ),
    _Attention("precond_kda.chunk_precond_kda", KDA | PRECONDITIONED),
    _Attention("precond_kda.fused_recurrent_precond_kda", KDA | PRECONDITIONED),
    _Attention("rebased.parallel_rebased", {"q": "narrow", "k": "narrow", "v": "vector"}),
    _Attention("retention.chunk_retention", QKV),
    _Attention("retention.fused_chunk_retention", QKV),
    _Attention("retention.fused_recurrent_retention", QKV),
    _Attention("retention.parallel_retention", QKV),
    _Attention("rwkv6.chunk_rwkv6", RWKV6),
    _Attention("rwkv6.fused_recurrent_rwkv6", RWKV6),
    _Attention("rwkv7.chunk_rwkv7", RWKV7, {"chunk_size": 16}),
    _Attention("rwkv7.fused_recurrent_rwkv7", RWKV7, has_backward=False),
    _Attention(
        "rwkv7.fused_mul_recurrent_rwkv7", RKV | {"w": "gates", "kk": "unit", "a": "shares"}
    ),
    _Attention("simple_gla.chunk_simple_gla", QKV | {"g": "gate"}),
    _Attention("simple_gla.fused_chunk_simple_gla", QKV | {"g": "gate"}),
    _Attention("simple_gla.fused_recurrent_simple_gla", QKV | {"g": "gate"}),
    _Attention("simple_gla.parallel_simple_gla", QKV | {"g": "gate"}),
    _Attention("ttt.chunk_ttt_linear", TTT),
    _Attention("ttt.fused_chunk_ttt_linear", TTT),
    _Attention("wall_attn.parallel_wall_attn", QKV | {"g": "gates"}),
)

WORKLOADS: dict[str, Build] = {
    **{f"fla {row.name.rpartition('.')[2]}": row for row in _ROWS},
    "fla chunk_hgrn": _hgrn("chunk_hgrn"),
    "fla fused_recurrent_hgrn": _hgrn("fused_recurrent_hgrn"),
    "fla fused_recurrent_rwkv4": _rwkv4,
    "fla parallel_nsa": _nsa,
    "fla parallel_nsa_compressed": _compressed_nsa,
    "fla fused_attnres": _attnres,
    "fla channel_mixing_rwkv7": _channel_mixing,
    "fla fused_addcmul_rwkv7": _addcmul,
    "fla fused_k_rwkv7": _key_update,
    "fla gate_output_correction": _gate_correction,
}
"""The operations by name."""

OMITTED = {
    "fla deltaformer": "calls the compiled extension flash-attn",
    "fla dsa": "written in PyTorch",
    "fla titans": "written in PyTorch",
    "fla moba": "calls the compiled extension flash-attn",
}
"""The operations that are not run, with the reason."""
