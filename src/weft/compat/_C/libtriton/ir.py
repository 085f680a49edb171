"""`triton._C.libtriton.ir`: MLIR's context, of which weft needs none, and views of operations."""

from __future__ import annotations

from weft.compat.unsupported import unsupported_names
from weft.ir.operation_views import BlockView as block
from weft.ir.operation_views import ModuleView as module
from weft.ir.operation_views import OperationView as operation
from weft.ir.operation_views import RegionView as region
from weft.ir.operation_views import ValueView as value

__all__ = ["block", "context", "load_dialects", "module", "operation", "region", "value"]

__getattr__ = unsupported_names("triton._C.libtriton.ir", "weft.ir has builders and rewriters")


class context:
    """A context of MLIR; weft's dialects are always loaded."""


def load_dialects(context: object) -> None:
    """Do nothing: weft's dialects are always loaded."""
