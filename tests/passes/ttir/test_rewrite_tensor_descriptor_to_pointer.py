"""Atomics of reductions through descriptors, and descriptors that the pass cannot rewrite."""

from __future__ import annotations

import pytest

from weft.errors import PassError
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline


def error_message(body: str) -> str:
    text = f"""
tt.func public @k(%x: !tt.ptr<i32>, %n: i32, %v: tensor<64xi32>) {{
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %x, [%n], [%one] : <i32>, <tensor<64xi32>>
  {body}
}}
"""
    with pytest.raises(PassError) as error:
        run_pipeline(
            parse_pipeline("triton-rewrite-tensor-descriptor-to-pointer"), parse_module(text)
        )
    return str(error.value)


def test_a_descriptor_in_a_branch_is_an_error():
    message = error_message(
        """cf.br ^bb1(%d : !tt.tensordesc<tensor<64xi32>>)
^bb1(%e: !tt.tensordesc<tensor<64xi32>>):
  tt.return"""
    )
    assert "cf.br does not support tensor descriptors" in message
    assert "scf.while" in message


def test_a_reduction_without_an_atomic_is_an_error():
    message = error_message(
        """tt.descriptor_reduce max, %d[%n], %v : !tt.tensordesc<tensor<64xi32>>, tensor<64xi32>
  tt.return"""
    )
    assert "Cannot fallback on descriptor atomic op, unsupported for type i32" in message
    assert "accepted: add, and, or, xor" in message


@pytest.mark.parametrize(
    ("kind", "element", "atomic"),
    [
        ("add", "i32", "add"),
        ("add", "f32", "fadd"),
        ("and", "i32", "and"),
        ("xor", "i32", "xor"),
        ("max", "si32", "max"),
        ("max", "ui32", "umax"),
        ("min", "si64", "min"),
        ("min", "ui64", "umin"),
    ],
)
def test_a_reduction_is_an_atomic(kind, element, atomic):
    signless = element.lstrip("su")
    text = f"""
tt.func public @k(%x: !tt.ptr<{signless}>, %n: i32, %v: tensor<64x{signless}>) {{
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %x, [%n], [%one] : <{signless}>, <tensor<64x{element}>>
  tt.descriptor_reduce {kind}, %d[%n], %v : !tt.tensordesc<tensor<64x{element}>>, tensor<64x{signless}>
  tt.return
}}
"""  # noqa: E501
    module = parse_module(text)
    pipeline = parse_pipeline("triton-rewrite-tensor-descriptor-to-pointer")
    run_pipeline(pipeline, module, verify=True)
    assert f"tt.atomic_rmw {atomic}, release, gpu" in print_module(module)
