"""Types and attributes of ttng: tensor memory, im2col descriptors, reductions while loading."""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition

from weft.ir.keywords import KeywordAttr

__all__ = ["ReduceModifierAttr", "TensorDescIm2ColType", "TensorMemoryAttr"]


@irdl_attr_definition
class TensorMemoryAttr(ParametrizedAttribute):
    """The memory beside the tensor cores of Blackwell: `#ttng.tensor_memory`."""

    name = "ttng.tensor_memory"


@irdl_attr_definition
class TensorDescIm2ColType(ParametrizedAttribute, TypeAttribute):
    """A descriptor read in im2col order: `!ttng.tensordesc_im2col<tensor<64x64xf16, #shared>>`."""

    name = "ttng.tensordesc_im2col"
    block_type: Attribute


@irdl_attr_definition
class ReduceModifierAttr(KeywordAttr):
    """What `ttng.tmem_load` reduces the rows with: `#ttng.redOp<min>`."""

    name = "ttng.redOp"
    KEYWORDS: ClassVar[tuple[str, ...]] = ("min", "max")
