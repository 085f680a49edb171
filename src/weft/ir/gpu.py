"""The operation of MLIR's gpu dialect that Triton accepts in TTGIR: `gpu.barrier`."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Dialect
from xdsl.irdl import irdl_attr_definition, opt_prop_def

from weft.ir.keyword_attr import KeywordAttr
from weft.ir.operation import Op, operation

__all__ = ["AddressSpaceAttr", "BarrierOp", "Gpu"]


@irdl_attr_definition
class AddressSpaceAttr(KeywordAttr):
    """A memory: `#gpu.address_space<workgroup>` is shared memory."""

    name = "gpu.address_space"
    KEYWORDS: ClassVar[tuple[str, ...]] = ("global", "workgroup", "private")


@operation
class BarrierOp(Op):
    """Wait for all threads of the block.

    `gpu.barrier memfence [#gpu.address_space<workgroup>]`

    Attributes:
        address_spaces: The memories that are ordered; all of them if it is absent.
    """

    name = "gpu.barrier"
    address_spaces = opt_prop_def(ArrayAttr[AddressSpaceAttr])
    FORMAT: ClassVar[str] = "(`memfence` $address_spaces^)? attr-dict"


Gpu = Dialect("gpu", [BarrierOp], [AddressSpaceAttr])
