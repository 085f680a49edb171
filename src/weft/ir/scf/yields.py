"""How a region of scf ends, and the types that it gives.

scf.yield %next : f32
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from xdsl.ir import Attribute, Block, Region
from xdsl.irdl import traits_def, var_operand_def
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir.interfaces import RegionBranchTerminatorOpInterface
from weft.ir.operation import Op, operation

if TYPE_CHECKING:
    from xdsl.parser import Parser

__all__ = ["YieldOp", "end_with_yield", "parse_result_types", "require_yield"]


@operation
class YieldOp(Op, RegionBranchTerminatorOpInterface):
    """Give a region's results to the operation around it.  `scf.yield %x : f32`"""

    name = "scf.yield"
    arguments = var_operand_def()
    traits = traits_def(IsTerminator(), Pure())
    FORMAT: ClassVar[str] = "attr-dict ($arguments^ `:` type($arguments))?"


def require_yield(op: Op, region: Region, wanted: list[Attribute]) -> None:
    """Require that a region ends in a yield of the types wanted.

    Raises: VerifyException: it does not.
    """
    last = region.blocks.last.last_op if region.blocks.last else None
    if not isinstance(last, YieldOp):
        raise VerifyException(f"{op.name}: the region must end in scf.yield")
    found = [value.type for value in last.operands]
    if found != wanted:
        raise VerifyException(
            f"{op.name}: scf.yield gives ({', '.join(map(str, found))}), "
            f"the results are ({', '.join(map(str, wanted))})"
        )


def end_with_yield(region: Region) -> Region:
    """Add the empty `scf.yield` that the text leaves out."""
    if region.blocks.first is None:
        region.add_block(Block())
    block = region.blocks.last
    if block is not None and not isinstance(block.last_op, YieldOp):
        block.add_op(YieldOp.create())
    return region


def parse_result_types(parser: Parser) -> list[Attribute]:
    """Parse `-> (types)` or `-> type`."""
    found = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if found is None else list(found)
