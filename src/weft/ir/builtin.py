"""The builtin dialect as weft uses it: xDSL's own classes, under one name.

Only this file says which of xDSL's builtin attributes and types the IR is made of; the
other rooms import them from here, so that a pinned xDSL can be exchanged in one place.
"""

from __future__ import annotations

from xdsl.dialects.builtin import (
    ArrayAttr,
    Builtin,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FlatSymbolRefAttr,
    FloatAttr,
    FunctionType,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    NoneAttr,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
)
from xdsl.ir import (
    Attribute,
    Block,
    BlockArgument,
    Dialect,
    Operation,
    OpResult,
    Region,
    SSAValue,
)

__all__ = [
    "ArrayAttr",
    "Attribute",
    "Block",
    "BlockArgument",
    "Builtin",
    "DenseArrayBase",
    "DenseIntOrFPElementsAttr",
    "Dialect",
    "DictionaryAttr",
    "FlatSymbolRefAttr",
    "FloatAttr",
    "FunctionType",
    "IndexType",
    "IntAttr",
    "IntegerAttr",
    "IntegerType",
    "ModuleOp",
    "NoneAttr",
    "OpResult",
    "Operation",
    "Region",
    "SSAValue",
    "StringAttr",
    "SymbolRefAttr",
    "TensorType",
    "UnitAttr",
]
