"""Operations of lightllm: the kernels of its models; most write to tensors that they are given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

import torch

from benchmarks.real_package_workloads.inputs import Build, Inputs, Operation, Tensor
from benchmarks.real_package_workloads.partial_imports import import_without_init

__all__ = ["OMITTED", "WORKLOADS"]

Arguments = Callable[[Inputs], list[Any]]
HALF = torch.float16


def _import(name: str) -> ModuleType:
    """Import a module of kernels; the packages around it import the server."""
    folders = ["lightllm", *name.split(".")[:-1]]
    for number in range(len(folders)):
        import_without_init(".".join(folders[: number + 1]))
    return import_module(f"lightllm.{name}")


@dataclass(frozen=True, slots=True)
class _Call:
    """A call of a function that writes to some of its arguments.

    Attributes:
        name: The function below `lightllm`.
        arguments: Creates the arguments.
        outputs: The positions of the arguments that it writes to; () if it returns its result.
    """

    name: str
    arguments: Arguments
    outputs: tuple[int, ...] = ()

    def __call__(self, make: Inputs) -> Operation:
        module, _, name = self.name.rpartition(".")
        function = getattr(_import(module), name)

        def call(*args: Any) -> Any:
            result = function(*args)
            return [args[index] for index in self.outputs] if self.outputs else result

        return Operation(call, self.arguments(make), has_backward=False)


def _half(make: Inputs, *shape: int) -> Tensor:
    return make.normal(*shape, grad=False, dtype=HALF)


def _zeros(make: Inputs, *shape: int, dtype: torch.dtype = HALF) -> Tensor:
    return torch.zeros(*shape, dtype=dtype, device=make.device)


def _ints(make: Inputs, *values: int) -> Tensor:
    return torch.tensor(values, dtype=torch.int32, device=make.device)


def _rows(make: Inputs, width: int = 4096) -> Tensor:
    return _half(make, make.size(4096, 8), make.size(width, 64))


def _rms_norm(make: Inputs) -> list[Any]:
    return [_rows(make), _half(make, make.size(4096, 64)), 1e-6]


def _layer_norm(make: Inputs) -> list[Any]:
    weights = [_half(make, make.size(4096, 64)) for _ in range(2)]
    return [_rows(make), *weights, 1e-6]


def _gated(make: Inputs) -> list[Any]:
    rows, width = make.size(4096, 8), make.size(11008, 64)
    return [_half(make, rows, 2 * width), _zeros(make, rows, width)]


def _rotary(make: Inputs) -> list[Any]:
    tokens, heads, width = make.size(4096, 8), make.size(32, 2), 64
    angles = torch.rand(tokens, width // 2, device=make.device).half()
    rows = [_half(make, tokens, heads, width) for _ in range(2)]
    return [*rows, angles.cos(), angles.sin()]


def _full_rotary(make: Inputs) -> list[Any]:
    query, key, cosines, sines = _rotary(make)
    return [query, key, cosines.repeat(1, 2), sines.repeat(1, 2)]


def _embedding(make: Inputs) -> list[Any]:
    classes, width, tokens = make.size(32000, 64), make.size(4096, 64), make.size(4096, 8)
    return [
        make.below(classes, tokens), _half(make, classes, width), 0, classes,
        _zeros(make, tokens, width),
    ]  # fmt: skip


def _sequences(make: Inputs) -> tuple[int, int, int, int]:
    """Choose the number of sequences, their length, and the number and the width of heads."""
    return make.size(8, 2), make.size(1024, 32), make.size(16, 2), 64


def _tables(make: Inputs) -> dict[str, Tensor]:
    """Create the tables of requests: each sequence's tokens lie one after the other."""
    batch, length, _, _ = _sequences(make)
    numbers = torch.arange(batch, dtype=torch.int32, device=make.device)
    tokens = torch.arange(batch * length, dtype=torch.int32, device=make.device)
    return {
        "requests": numbers,
        "starts": numbers * length,
        "lengths": torch.full_like(numbers, length),
        "cached": torch.zeros_like(numbers),
        "tokens": tokens.view(batch, length),
    }


def _prefill(make: Inputs) -> list[Any]:
    batch, length, heads, width = _sequences(make)
    tensors = [_half(make, batch * length, heads, width) for _ in range(3)]
    tables = _tables(make)
    return [
        *tensors, _zeros(make, batch * length, heads, width), tables["requests"],
        tables["starts"], tables["lengths"], tables["cached"], length, tables["tokens"],
    ]  # fmt: skip


def _prefill_without_cache(make: Inputs) -> list[Any]:
    args, tables = _prefill(make), _tables(make)
    return [*args[:4], tables["starts"], tables["lengths"], args[8]]


def _sliding(make: Inputs) -> list[Any]:
    return [*_prefill_without_cache(make), make.size(256, 16)]


def _decode_scores(make: Inputs) -> list[Any]:
    batch, length, heads, width = _sequences(make)
    tables = _tables(make)
    return [
        _half(make, batch, heads, width), _half(make, batch * length, heads, width),
        _zeros(make, heads, batch * length), tables["tokens"], tables["requests"],
        tables["starts"], tables["lengths"], length,
    ]  # fmt: skip


def _decode_softmax(make: Inputs) -> list[Any]:
    batch, length, heads, _ = _sequences(make)
    tables = _tables(make)
    return [
        _half(make, heads, batch * length), tables["starts"], tables["lengths"],
        _zeros(make, heads, batch * length), length,
    ]  # fmt: skip


def _decode_values(make: Inputs) -> list[Any]:
    batch, length, heads, width = _sequences(make)
    tables = _tables(make)
    return [
        _half(make, heads, batch * length), _half(make, batch * length, heads, width),
        _zeros(make, batch, heads, width), tables["tokens"], tables["requests"],
        tables["starts"], tables["lengths"],
    ]  # fmt: skip


def _softmax_values(make: Inputs) -> list[Any]:
    args = _decode_values(make)
    return [*args[:4], args[4], args[5], args[6]]


def _decode_grouped(make: Inputs) -> list[Any]:
    batch, length, heads, width = _sequences(make)
    tables = _tables(make)
    rows = [_half(make, batch * length, heads // 2, width) for _ in range(2)]
    return [
        _half(make, batch, heads, width), *rows, _zeros(make, batch, heads, width),
        tables["tokens"], tables["requests"], tables["lengths"],
    ]  # fmt: skip


def _decode_blocks(make: Inputs) -> list[Any]:
    batch, length, heads, width = _sequences(make)
    blocks, tables = length // 16, _tables(make)
    return [
        _half(make, batch, heads, width), *(
            _half(make, batch * length, heads // 2, width) for _ in range(2)
        ),
        tables["tokens"], tables["requests"], tables["lengths"], length,
        _zeros(make, batch, heads, blocks, width, dtype=torch.float32),
        _zeros(make, batch, heads, blocks, dtype=torch.float32), 16,
    ]  # fmt: skip


def _combine_blocks(make: Inputs) -> list[Any]:
    batch, length, heads, width = _sequences(make)
    blocks, tables = length // 16, _tables(make)
    return [
        make.normal(batch, heads, blocks, width, grad=False, dtype=torch.float32),
        make.normal(batch, heads, blocks, grad=False, dtype=torch.float32),
        tables["lengths"], _zeros(make, batch, heads, width), 16,
    ]  # fmt: skip


def _copy_rows(make: Inputs) -> list[Any]:
    tokens, heads, width = make.size(4096, 8), make.size(16, 2), 64
    rows = _half(make, tokens, heads, width)
    places = torch.randperm(tokens, device=make.device).int()
    return [rows, places, _zeros(make, tokens, heads, width)]


def _copy_quantized(group: int) -> Arguments:
    def create(make: Inputs) -> list[Any]:
        rows, places, out = _copy_rows(make)
        scales = _zeros(make, *out.shape[:2], out.shape[2] // group)
        return [rows, places, out.to(torch.int8), scales]

    return create


def _int8_weights(make: Inputs) -> tuple[Tensor, Tensor]:
    rows, columns = make.size(4096, 128), make.size(4096, 128)
    weights = torch.randint(-128, 128, (rows, columns), device=make.device).to(torch.int8)
    return weights, torch.rand(columns, device=make.device).half()


def _dequantized_product(make: Inputs) -> list[Any]:
    weights, scales = _int8_weights(make)
    return [_half(make, make.size(64, 16), weights.shape[0]), weights, scales]


def _row_quantization(make: Inputs) -> list[Any]:
    return [_rows(make)]


def _weights_fp8(make: Inputs) -> list[Any]:
    rows, width = make.size(4096, 128), make.size(4096, 256)
    weights = torch.randn(rows, width, device=make.device).to(torch.float8_e4m3fn)
    return [weights, torch.rand(rows // 128, width // 128, device=make.device)]


def _add(make: Inputs) -> list[Any]:
    return [_rows(make), _rows(make)]


def _sequence_numbers(make: Inputs) -> list[Any]:
    tables = _tables(make)
    return [tables["lengths"], tables["lengths"]]


def _vision_attention(make: Inputs) -> list[Any]:
    batch, length, heads, width = _sequences(make)
    tensors = [_half(make, batch * length, heads, width) for _ in range(3)]
    bounds = _ints(make, *(number * length for number in range(batch + 1)))
    return [*tensors, _zeros(make, batch * length, heads, width), bounds, length]


def _multi_rotary(make: Inputs) -> list[Any]:
    heads, length, width = make.size(16, 2), make.size(1024, 8), 64
    angles = torch.rand(3, 1, length, width, device=make.device).half()
    axes = torch.arange(width, device=make.device).int() % 3
    rows = [_half(make, 1, heads, length, width) for _ in range(2)]
    return [*rows, angles.cos(), angles.sin(), axes]


_LLAMA, _COMMON = "models.llama.triton_kernel", "common.basemodel.triton_kernel"
_ATTENTION = "context_flashattention_nopad.context_attention_fwd"

_ROWS: dict[str, _Call] = {
    "rms_norm": _Call(f"{_LLAMA}.rmsnorm.rmsnorm_forward", _rms_norm),
    "silu_and_mul": _Call(f"{_LLAMA}.silu_and_mul.silu_and_mul_fwd", _gated, (1,)),
    "rotary": _Call(f"{_LLAMA}.rotary_emb.rotary_emb_fwd", _rotary, (0, 1)),
    "embedding": _Call(f"{_LLAMA}.embedding.embedding", _embedding, (4,)),
    "prefill": _Call(f"{_LLAMA}.{_ATTENTION}", _prefill, (3,)),
    "prefill_without_cache": _Call(
        f"{_LLAMA}.{_ATTENTION}_no_prompt_cache", _prefill_without_cache, (3,)
    ),
    "decode_scores": _Call(
        f"{_LLAMA}.token_attention_nopad_att1.token_att_fwd", _decode_scores, (2,)
    ),
    "decode_softmax": _Call(
        f"{_LLAMA}.token_attention_nopad_softmax.token_softmax_fwd", _decode_softmax, (3,)
    ),
    "decode_values": _Call(
        f"{_LLAMA}.token_attention_nopad_reduceV.token_att_fwd2", _decode_values, (2,)
    ),
    "decode_softmax_values": _Call(
        f"{_LLAMA}.token_attention_softmax_and_reducev.token_softmax_reducev_fwd",
        _softmax_values,
        (2,),
    ),
    "decode_grouped": _Call(
        f"{_LLAMA}.gqa_decode_flashattention_nopad.gqa_decode_attention_fwd", _decode_grouped, (3,)
    ),
    "decode_blocks": _Call(
        f"{_LLAMA}.flash_decoding_stage1.flash_decode_stage1", _decode_blocks, (7, 8)
    ),
    "decode_blocks_grouped": _Call(
        f"{_LLAMA}.gqa_flash_decoding_stage1.flash_decode_stage1", _decode_blocks, (7, 8)
    ),
    "combine_blocks": _Call(
        f"{_LLAMA}.flash_decoding_stage2.flash_decode_stage2", _combine_blocks, (3,)
    ),
    "copy_int8": _Call(
        f"{_LLAMA}.ppl_quant_copy_kv.destindex_copy_quantize_kv", _copy_quantized(8), (2, 3)
    ),
    "gelu_and_mul": _Call(
        "models.gemma_2b.triton_kernel.gelu_and_mul.gelu_and_mul_fwd", _gated, (1,)
    ),
    "bloom_layer_norm": _Call(
        "models.bloom.triton_kernel.layernorm.layernorm_forward", _layer_norm
    ),
    "sliding_attention": _Call(f"models.mistral.triton_kernel.{_ATTENTION}", _sliding, (3,)),
    "phi3_prefill": _Call(f"models.phi3.triton_kernel.{_ATTENTION}", _prefill, (3,)),
    "dequantize_fp8": _Call(
        "models.deepseek2.triton_kernel.weight_dequant.weight_dequant", _weights_fp8
    ),
    "vision_attention": _Call(
        "models.vit.triton_kernel.flashattention_nopad.flash_attention_fwd", _vision_attention, (3,)
    ),
    "qwen2_vl_rotary": _Call("models.qwen2_vl.triton_kernel.mrope.mrope_triton", _multi_rotary),
    "chatglm2_rotary": _Call(
        "models.chatglm2.triton_kernel.rotary_emb.rotary_emb_fwd", _rotary, (0, 1)
    ),
    "cohere_rotary": _Call(
        "models.cohere.triton_kernels.rotary_emb.rotary_emb_fwd", _full_rotary, (0, 1)
    ),
    "copy_rows": _Call(f"{_COMMON}.destindex_copy_kv.destindex_copy_kv", _copy_rows, (2,)),
    "copy_quantized": _Call(
        f"{_COMMON}.destindex_copy_kv.destindex_copy_quantize_kv", _copy_quantized(64), (2, 3)
    ),
    "add_in_place": _Call(f"{_COMMON}.add_in_place.add_in_place", _add, (0,)),
    "dequantize_matmul_int8": _Call(
        f"{_COMMON}.dequantize_gemm_int8.matmul_dequantize_int8", _dequantized_product
    ),
    "matmul_int8": _Call(
        f"{_COMMON}.quantize_gemm_int8.matmul_quantize_int8", _dequantized_product
    ),
    "quantize_rows": _Call(f"{_COMMON}.quantize_gemm_int8.quantize_int8_perrow", _row_quantization),
    "prefill_numbers": _Call(
        f"{_COMMON}.gen_prefill_params.gen_cumsum_pad0_tensor", _sequence_numbers
    ),
}

WORKLOADS: dict[str, Build] = {f"lightllm {name}": call for name, call in _ROWS.items()}
"""The operations by name."""

OMITTED = {
    "lightllm vision_gelu": "imports the server, and so does vision_rms_norm",
    "lightllm penalties": "need the server's sampling manager",
    "lightllm flash_decoding": "needs the server's state of a batch; its two kernels are here",
    "lightllm ppl": "compiled extensions (lightllm_ppl)",
    "lightllm deepseek2": "needs the server's state of a batch; its kind of kernel is here",
    "lightllm token_attention_nopad_int8": "imports triton.ops, which Triton 3 lacks",
}
"""The operations that are not run, with the reason."""
