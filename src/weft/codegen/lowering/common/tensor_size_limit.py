"""Check that tensors have few enough elements to be in registers.

error: tensor<2097152x2097152xf16, #blocked> has more elements than a tensor can have
  accepted: at most 1048576 elements

Triton's verifier has this limit for the operations of the dialect `tt` only.
"""

from __future__ import annotations

from math import prod

from weft.errors import CodegenError
from weft.ir import locations, tt, types
from weft.ir.layout_verifier import MAX_TENSOR_ELEMENTS
from weft.ir.rewriting import walk

__all__ = ["check_tensor_sizes"]


def check_tensor_sizes(function: tt.FuncOp) -> None:
    """Check the operands and results of the operations of a function.

    Raises:
        CodegenError: A tensor has more than `MAX_TENSOR_ELEMENTS` elements.
    """
    for op in walk(function):
        for value in (*op.operands, *op.results):
            if types.is_tensor(value.type) and prod(types.shape(value.type)) > MAX_TENSOR_ELEMENTS:
                raise CodegenError(
                    f"{value.type} has more elements than a tensor can have",
                    location=locations.position(op.location),
                    accepted=[f"at most {MAX_TENSOR_ELEMENTS} elements"],
                )
