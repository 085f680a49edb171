"""The syntax of operations on tensor memory."""

from __future__ import annotations

from tests.ir.gpu import TENSOR_MEMORY, module
from weft.ir.text import parse_module, print_module

ROWS = "tensor<128x128xf32, #blocked>"


def test_each_result_has_its_name() -> None:
    body = (
        f"%a, %k = ttng.tmem_alloc : () -> ({TENSOR_MEMORY}, !ttg.async.token)\n"
        f"%x, %u = ttng.tmem_load %a[%k] : {TENSOR_MEMORY} -> {ROWS}\n"
        f"%v, %w = ttng.tmem_load %a[] : {TENSOR_MEMORY} -> {ROWS}\n"
        f"%y = ttng.tmem_load %a : {TENSOR_MEMORY} -> {ROWS}"
    )
    printed = print_module(parse_module(module(body)))
    assert "%result, %token = ttng.tmem_alloc" in printed
    assert "%result_0, %token_1 = ttng.tmem_load %result[%token]" in printed
    assert "%result_2, %token_3 = ttng.tmem_load %result[] :" in printed
    assert "%result_4 = ttng.tmem_load %result :" in printed
    assert print_module(parse_module(printed)) == printed
