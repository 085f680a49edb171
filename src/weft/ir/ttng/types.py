"""Types and attributes of ttng."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition

from weft.ir import types
from weft.ir.keyword_attr import KeywordAttr

if TYPE_CHECKING:
    from xdsl.parser import AttrParser

_RANK = 2  # of the tile: pixels by channels

__all__ = ["ReduceModifierAttr", "TensorDescIm2ColType", "TensorMemoryAttr"]


@irdl_attr_definition
class TensorMemoryAttr(ParametrizedAttribute):
    """The memory space of Blackwell's tensor memory: `#ttng.tensor_memory`."""

    name = "ttng.tensor_memory"


@irdl_attr_definition
class TensorDescIm2ColType(ParametrizedAttribute, TypeAttribute):
    """A tensor descriptor for TMA in im2col mode.

    `!ttng.tensordesc_im2col<tensor<64x64xf16, #shared>>`
    """

    name = "ttng.tensordesc_im2col"
    block_type: Attribute

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        start = parser.pos
        with parser.in_angle_brackets():
            block = parser.parse_type()
        rank = len(types.shape(block))
        if rank != _RANK:
            message = f"TensorDescIm2ColType requires rank-2 blockType, got rank {rank}"
            parser.raise_error(message, start, start + 1)
        return [block]


@irdl_attr_definition
class ReduceModifierAttr(KeywordAttr):
    """The reduction along rows that `ttng.tmem_load` performs: `#ttng.redOp<min>`."""

    name = "ttng.redOp"
    KEYWORDS: ClassVar[tuple[str, ...]] = ("min", "max")
